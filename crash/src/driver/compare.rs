//! The views of a replay that nobody killed, and how others differ from them, document by document.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

use anyhow::{Context, Result, bail};
use flights::memory;
use projection_core::{ProjectionRuntime, memory::InMemoryViews};
use serde::{Deserialize, Serialize};

use super::history;
use crate::views::{self, Documents};

/// What the views must be.
#[derive(Debug, Serialize, Deserialize)]
pub(crate) struct Reference {
    pub(crate) events: u64,
    documents: Documents,
}

/// How many documents of one kind of difference are shown.
const SHOWN: usize = 3;

/// Replays in memory, with another batch size than any run's.
pub(super) async fn write_reference(data: &Path, out: &Path) -> Result<()> {
    let history = history::read(data)?;
    let events = history.len();
    let store = memory::events_of(&history)?;
    drop(history);
    let kept = InMemoryViews::new();
    let builder = ProjectionRuntime::builder(store, kept.clone());
    let runtime = views::register(builder, 100_000, None).start().await?;
    runtime.caught_up().await?;
    runtime.shutdown().await;
    let reference = Reference { events, documents: views::documents(&kept).await? };
    Ok(fs::write(out, serde_json::to_vec(&reference)?)?)
}

impl Reference {
    /// Has it made by a process of its own.
    pub(super) fn of(data: &Path, folder: &Path) -> Result<Self> {
        let out = folder.join("reference.json");
        let status = Command::new(std::env::current_exe()?).arg("reference").arg(data).arg(&out).status()?;
        if !status.success() {
            bail!("the replay in memory ended with {status}");
        }
        let json = fs::read(&out).context("the replay in memory left nothing")?;
        Ok(serde_json::from_slice(&json)?)
    }

    pub(super) fn count(&self) -> usize {
        self.documents.values().map(BTreeMap::len).sum()
    }

    /// How `found` differs: a line a difference, a few of each kind. Empty if it does not.
    pub(super) fn differences(&self, found: &Documents) -> Vec<String> {
        let names: BTreeSet<&String> = self.documents.keys().chain(found.keys()).collect();
        let none = BTreeMap::new();
        names
            .into_iter()
            .flat_map(|view| {
                let (should, is) = (self.documents.get(view), found.get(view));
                of_view(view, should.unwrap_or(&none), is.unwrap_or(&none))
            })
            .collect()
    }
}

fn of_view(view: &str, should: &BTreeMap<String, String>, is: &BTreeMap<String, String>) -> Vec<String> {
    let missing = should.iter().filter(|(id, _)| !is.contains_key(*id));
    let missing = missing.map(|(id, document)| format!("{id} = {document}")).collect();
    let extra = is.iter().filter(|(id, _)| !should.contains_key(*id));
    let extra = extra.map(|(id, document)| format!("{id} = {document}")).collect();
    let other = should.iter().filter_map(|(id, should)| {
        let is = is.get(id).filter(|is| *is != should)?;
        Some(format!("{id} = {is}, and should be {should}"))
    });
    let kinds: [(&str, Vec<String>); 3] =
        [("missing", missing), ("there although deleted or never made", extra), ("different", other.collect())];
    let mut lines = Vec::new();
    for (kind, found) in kinds.into_iter().filter(|(_, found)| !found.is_empty()) {
        lines.push(format!("{view}: {} {kind}", found.len()));
        lines.extend(found.into_iter().take(SHOWN).map(|one| format!("    {one}")));
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    fn view(documents: &[(&str, &str)]) -> Documents {
        let documents = documents.iter().map(|(id, document)| ((*id).to_owned(), (*document).to_owned()));
        Documents::from([("v".to_owned(), documents.collect())])
    }

    #[test]
    fn a_document_that_is_missing_extra_or_other_is_a_difference() {
        let reference = Reference { events: 0, documents: view(&[("a", "1"), ("b", "2")]) };
        assert!(reference.differences(&view(&[("a", "1"), ("b", "2")])).is_empty());
        let lines = reference.differences(&view(&[("b", "3"), ("c", "4")]));
        assert_eq!(
            lines,
            [
                "v: 1 missing",
                "    a = 1",
                "v: 1 there although deleted or never made",
                "    c = 4",
                "v: 1 different",
                "    b = 3, and should be 2"
            ]
        );
        assert!(!reference.differences(&Documents::new()).is_empty(), "a view that is not there at all");
    }
}

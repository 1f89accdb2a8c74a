//! A progress bar on stderr, drawn from the progress of every view; nothing where stderr is no terminal.

use std::{fmt, time::Duration};

use indicatif::{FormattedDuration, ProgressBar, ProgressState, ProgressStyle};
use projection_core::{Phase, Progress};
use tokio::{sync::watch, task::JoinHandle};

/// How often it is drawn.
const EVERY: Duration = Duration::from_millis(100);

/// Draws until [`finish`](Self::finish).
pub(crate) struct ReplayBar {
    bar: ProgressBar,
    drawing: JoinHandle<()>,
}

impl ReplayBar {
    /// Draws how far these views are.
    pub(crate) fn of(views: Vec<watch::Receiver<Progress>>) -> Self {
        let bar = bar("Replaying", "{msg}");
        let drawn = bar.clone();
        let drawing = tokio::spawn(async move {
            loop {
                draw(&drawn, &views);
                tokio::time::sleep(EVERY).await;
            }
        });
        Self { bar, drawing }
    }

    pub(crate) fn finish(self) {
        self.drawing.abort();
        self.bar.finish_and_clear();
    }
}

/// A bar for the import of so many events; the caller moves it.
pub(crate) fn import_bar(events: u64) -> ProgressBar {
    let bar = bar("Importing", "{rate}, {eta_precise} left");
    bar.set_length(events);
    bar
}

fn bar(what: &'static str, says: &str) -> ProgressBar {
    let bar = ProgressBar::new(0).with_prefix(what);
    let style = ProgressStyle::with_template(&format!("{{prefix}} {{wide_bar}} {{percent:>3}} %  {says}"));
    let rate = |state: &ProgressState, out: &mut dyn fmt::Write| {
        // What cannot be written is not drawn.
        let _ = write!(out, "{:.0} events/s", state.per_sec());
    };
    bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_bar()).with_key("rate", rate));
    bar
}

fn draw(bar: &ProgressBar, views: &[watch::Receiver<Progress>]) {
    let (mut done, mut all, mut rate) = (0, 0, 0.0);
    let mut slowest: Option<Duration> = None;
    for view in views {
        let progress = view.borrow();
        done += progress.position.as_u64();
        all += progress.head.as_u64();
        // A view that is done waits for the others, and says nothing of the time left.
        if progress.lag() > 0 {
            rate += progress.events_per_second;
            slowest = slowest.max(progress.time_left);
        }
    }
    let left = slowest.map_or_else(String::new, |left| format!(", {} left", FormattedDuration(left)));
    if all == 0 {
        return;
    }
    bar.set_length(all);
    bar.set_position(done);
    if views.iter().any(|view| view.borrow().phase == Phase::Standby) {
        return bar.set_message("waiting for another run, or for the lease of one that was killed");
    }
    bar.set_message(format!("{rate:.0} events/s in {} views{left}", views.len()));
}

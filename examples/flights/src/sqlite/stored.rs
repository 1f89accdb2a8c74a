//! Reads the views back as any program would: `SELECT id, state` from the SQL view that has the view's name.

use projection_core::{Key, KeyRef, Projection, StoreError};
use projection_sqlite::rusqlite::{self, Connection};
use tokio::{sync::mpsc, task::spawn_blocking};

use super::FlightsFile;
use crate::stored::StoredViews;

/// Rows that are read on before they are looked at.
const ROWS: usize = 1000;

/// An id, and a state as JSON.
type Row = (String, String);

impl StoredViews for FlightsFile {
    async fn each<P: Projection>(&self, mut visit: impl FnMut(P::Id, P::State) + Send) -> Result<u64, StoreError> {
        let path = self.path.clone();
        let (sender, mut chunks) = mpsc::channel(1);
        let reading = spawn_blocking(move || read(&Self::connect(&path)?, P::NAME, &sender));
        let mut instances = 0;
        while let Some(chunk) = chunks.recv().await {
            for (id, state) in chunk {
                let id = P::Id::from_key(KeyRef::Text(&id)).map_err(StoreError::permanent)?;
                visit(id, serde_json::from_str(&state).map_err(StoreError::permanent)?);
                instances += 1;
            }
        }
        reading.await.map_err(StoreError::permanent)?.map_err(StoreError::permanent)?;
        Ok(instances)
    }
}

fn read(connection: &Connection, view: &str, chunks: &mpsc::Sender<Vec<Row>>) -> rusqlite::Result<()> {
    let mut select = connection.prepare(&format!(r#"SELECT id, state FROM "{view}""#))?;
    let mut rows = select.query_map([], |row| Ok((row.get(0)?, row.get(1)?)))?;
    loop {
        let chunk: Vec<Row> = rows.by_ref().take(ROWS).collect::<Result<_, _>>()?;
        // Nobody listens any more once a row was refused.
        if chunk.is_empty() || chunks.blocking_send(chunk).is_err() {
            return Ok(());
        }
    }
}

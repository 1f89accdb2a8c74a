//! A server that answers from a list, for what no real one here can be: the router of a sharded cluster.

use std::{collections::HashMap, sync::Arc};

use bson::{Document, doc};
use tokio::{
    io::{AsyncReadExt as _, AsyncWriteExt as _},
    net::{TcpListener, TcpStream},
};
use tokio_util::task::AbortOnDropHandle;

use super::TestDatabase;

/// The message that carries a command or its reply.
const OP_MSG: i32 = 2013;
/// The message with which old drivers, and new ones at their first word, ask who is there.
const OP_QUERY: i32 = 2004;
const OP_REPLY: i32 = 1;

/// It answers `hello` as it was told, other commands from its list, and refuses those that are not in it.
#[derive(Debug)]
pub struct FakeServer {
    address: String,
    _accepting: AbortOnDropHandle<()>,
}

impl FakeServer {
    /// Answers as the router of a sharded cluster does; `answers` has the replies to other commands, by their name.
    pub async fn router(answers: &[(&str, Document)]) -> Self {
        let hello = doc! {
            "isWritablePrimary": true, "ismaster": true, "msg": "isdbgrid", "helloOk": true,
            "maxBsonObjectSize": 16_777_216, "maxMessageSizeBytes": 48_000_000, "maxWriteBatchSize": 100_000,
            "logicalSessionTimeoutMinutes": 30, "minWireVersion": 0, "maxWireVersion": 17, "ok": 1.0,
        };
        let mut all: HashMap<String, Document> =
            answers.iter().map(|(name, answer)| ((*name).to_owned(), answer.clone())).collect();
        for name in ["hello", "isMaster", "ismaster"] {
            all.insert(name.to_owned(), hello.clone());
        }
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap().to_string();
        let all = Arc::new(all);
        let accepting = tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(serve(stream, Arc::clone(&all)));
            }
        });
        Self { address, _accepting: AbortOnDropHandle::new(accepting) }
    }

    /// A database on it.
    pub async fn database(&self) -> TestDatabase {
        TestDatabase::at(&format!("mongodb://{}/", self.address)).await
    }
}

async fn serve(mut stream: TcpStream, answers: Arc<HashMap<String, Document>>) -> Option<()> {
    loop {
        let length = stream.read_i32_le().await.ok()?;
        let mut rest = vec![0; usize::try_from(length).ok()? - 4];
        stream.read_exact(&mut rest).await.ok()?;
        let int = |at: usize| Some(i32::from_le_bytes(rest.get(at..at + 4)?.try_into().ok()?));
        let (request, kind) = (int(0)?, int(8)?);
        let command = match kind {
            // Flags, then one section of kind 0.
            OP_MSG => &rest[12 + 5..],
            // Flags, the collection's name, two numbers.
            OP_QUERY => &rest[16 + rest[16..].iter().position(|byte| *byte == 0)? + 1 + 8..],
            _ => return None,
        };
        let size = usize::try_from(i32::from_le_bytes(command.get(..4)?.try_into().ok()?)).ok()?;
        let command: Document = bson::deserialize_from_slice(&command[..size]).ok()?;
        let name = command.keys().next()?;
        let refused = doc! { "ok": 0.0, "code": 59, "codeName": "CommandNotFound", "errmsg": format!("no {name}") };
        let answer = bson::serialize_to_vec(answers.get(name).unwrap_or(&refused)).ok()?;
        let (reply_kind, head) = match kind {
            OP_MSG => (OP_MSG, [0; 5].to_vec()),
            // Flags, no cursor, from the first, one document.
            _ => (OP_REPLY, [&[8, 0, 0, 0][..], &[0; 12], &1_i32.to_le_bytes()].concat()),
        };
        let length = i32::try_from(16 + head.len() + answer.len()).ok()?;
        let header = [length, 0, request, reply_kind].map(i32::to_le_bytes).concat();
        stream.write_all(&[header, head, answer].concat()).await.ok()?;
    }
}

//! A client of the service.

use std::{
    io::{self, Write as _},
    net::TcpStream,
    sync::LazyLock,
    thread::{self, JoinHandle},
    time::Duration,
};

use serde_json::{Value, json};
use ureq::{Agent, Body, http::Response};

use crate::program::{Program, eventually};

/// Answers of any status are answers.
static AGENT: LazyLock<Agent> = LazyLock::new(|| {
    let config = Agent::config_builder().http_status_as_error(false).timeout_global(Some(Duration::from_secs(60)));
    config.build().into()
});

#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Answer {
    pub(crate) status: u16,
    /// `Append-Token`.
    pub(crate) token: String,
    pub(crate) retry_after: Option<String>,
    pub(crate) body: Value,
}

impl Answer {
    fn of(mut response: Response<Body>) -> Self {
        let header = |name| response.headers().get(name).map(|value| value.to_str().unwrap().to_owned());
        let (token, retry_after) = (header("append-token").unwrap_or_default(), header("retry-after"));
        let status = response.status().as_u16();
        Self { status, token, retry_after, body: response.body_mut().read_json().unwrap() }
    }

    /// What kind of problem it is.
    pub(crate) fn problem(&self) -> &str {
        assert_eq!(self.body["status"], self.status, "{self:?}");
        self.body["type"].as_str().unwrap().strip_prefix("urn:orders:").unwrap()
    }

    pub(crate) fn detail(&self) -> &str {
        self.body["detail"].as_str().unwrap()
    }

    pub(crate) fn order_id(&self) -> &str {
        self.body["order_id"].as_str().unwrap_or_else(|| panic!("{self:?}"))
    }
}

pub(crate) fn mug(customer: &str) -> Value {
    json!({ "customer_id": customer, "lines": [{ "sku": "mug", "pieces": 2, "cents_each": 990 }] })
}

impl Program {
    pub(crate) fn get(&self, path: &str) -> Answer {
        Answer::of(AGENT.get(format!("{}{path}", self.url)).call().unwrap())
    }

    pub(crate) fn get_with_header(&self, path: &str, token: &str) -> Answer {
        Answer::of(AGENT.get(format!("{}{path}", self.url)).header("Append-Token", token).call().unwrap())
    }

    /// Has sent a request when it returns; the answer is what the thread ends with.
    pub(crate) fn begin(&self, path: &str) -> JoinHandle<String> {
        let mut stream = TcpStream::connect(self.url.strip_prefix("http://").unwrap()).unwrap();
        write!(stream, "GET {path} HTTP/1.1\r\nHost: orders\r\nConnection: close\r\n\r\n").unwrap();
        thread::spawn(move || io::read_to_string(stream).unwrap())
    }

    /// As a client does that has been told to ask again.
    pub(crate) fn get_after(&self, path: &str, token: &str) -> Answer {
        eventually("the view has the append", || {
            let answer = self.get(&format!("{path}?after={token}"));
            (answer.retry_after.is_none()).then_some(answer)
        })
    }

    pub(crate) fn place(&self, customer: &str) -> Answer {
        let answer = self.post_json("/orders", &mug(customer), None);
        assert_eq!(answer.status, 201, "{answer:?}");
        answer
    }

    pub(crate) fn post_json(&self, path: &str, body: &Value, key: Option<&str>) -> Answer {
        let request = AGENT.post(format!("{}{path}", self.url));
        let request = key.into_iter().fold(request, |request, key| request.header("Idempotency-Key", key));
        Answer::of(request.send_json(body).unwrap())
    }

    pub(crate) fn post(&self, path: &str, key: Option<&str>) -> Answer {
        let request = AGENT.post(format!("{}{path}", self.url));
        let request = key.into_iter().fold(request, |request, key| request.header("Idempotency-Key", key));
        Answer::of(request.send_empty().unwrap())
    }

    pub(crate) fn post_text(&self, path: &str, content_type: &str, body: &str) -> Answer {
        let request = AGENT.post(format!("{}{path}", self.url));
        Answer::of(request.header("Content-Type", content_type).send(body).unwrap())
    }

    pub(crate) fn is_ready(&self) -> bool {
        self.get("/health/ready").status == 200
    }

    /// What it does with the view `orders`.
    pub(crate) fn phase(&self) -> String {
        self.get("/projections").body[0]["phase"].as_str().unwrap().to_owned()
    }
}

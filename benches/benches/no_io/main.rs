//! Our own overhead: the whole engine (decode, route, fold, batch, checkpoint) between an event store that hands out
//! BSON from memory and a view that throws away what it is given. No I/O, so what is measured is ours.
//!
//! `cargo bench -p benches`; the number is a run over all events, `elem/s` are events a second.

#![allow(missing_docs, clippy::unwrap_used, clippy::expect_used, reason = "a benchmark, and criterion's macros")]

mod canned;
mod nowhere;

use std::sync::Arc;

use benches::{
    account::Account,
    generate::{Shape, Totals},
};
use canned::CannedEvents;
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};
use nowhere::Nowhere;
use projection_core::{ProjectionRuntime, memory::InMemoryViews};

const EVENTS: u64 = 100_000;

fn no_io(criterion: &mut Criterion) {
    let runtime = tokio::runtime::Builder::new_multi_thread().enable_all().build().unwrap();
    let mut group = criterion.benchmark_group("no_io");
    group.throughput(Throughput::Elements(EVENTS)).sample_size(10);
    for instances in [1_000, 100_000] {
        let shape = Shape { events: EVENTS, instances, event_bytes: 330, seed: 7 };
        let events = CannedEvents::of(shape);
        group.bench_function(BenchmarkId::new("decode", instances), |bencher| bencher.iter(|| events.decode_all()));
        for (name, budget) in
            [("decode, route, fold; defaults", None), ("decode, route, fold; rebuild", Some(256 << 20))]
        {
            group.bench_function(BenchmarkId::new(name, instances), |bencher| {
                bencher.iter(|| runtime.block_on(replay(events.clone(), budget)));
            });
        }
        group.bench_function(BenchmarkId::new("fold alone", instances), |bencher| {
            bencher.iter(|| events.fold_all());
        });
    }
    group.finish();
}

async fn replay(events: CannedEvents, budget: Option<usize>) -> Totals {
    let view = Arc::new(Nowhere::default());
    let runtime = ProjectionRuntime::builder(events, InMemoryViews::new())
        .register_in::<Account>(view.clone(), move |options| match budget {
            Some(bytes) => options.memory_budget(bytes),
            None => options,
        })
        .start()
        .await
        .unwrap();
    runtime.caught_up().await.unwrap();
    runtime.shutdown().await;
    view.totals()
}

criterion_group!(benches, no_io);
criterion_main!(benches);

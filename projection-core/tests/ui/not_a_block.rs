use projection_core::{projection};

#[projection(name = "order-status")]
struct Orders {
    placed: bool,
}

fn main() {}

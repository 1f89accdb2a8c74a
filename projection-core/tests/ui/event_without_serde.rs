use projection_core::Event;

#[derive(Event)]
#[event(name = "OrderPlaced")]
struct OrderPlaced;

fn main() {}

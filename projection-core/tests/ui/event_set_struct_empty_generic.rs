use projection_core::EventSet;

#[derive(EventSet)]
struct Order(u8);

#[derive(EventSet)]
enum Nothing {}

#[derive(EventSet)]
enum Generic<T> {
    One(T),
}

fn main() {}

use super::*;
use crate::Position;

fn window(after: u32, up_to: u32) -> Window {
    Window { after: Position::from(after), up_to: Position::from(up_to) }
}

fn page(after: u32, covers: u32) -> SharedPage {
    SharedPage::new(Position::from(after), Position::from(covers))
}

/// A ring of `members` that holds these pages.
fn ring(members: usize, pages: &[(u32, u32)]) -> Ring {
    let mut ring = Ring::new();
    for _ in 0..members {
        ring.join();
    }
    for (after, covers) in pages {
        ring.push(page(*after, *covers));
    }
    ring
}

/// What a member is to do, in a few words.
fn does(ring: &mut Ring, member: usize, window: Window, now: Instant) -> String {
    match ring.step(member, window, now) {
        Step::Take(page) => format!("take {}..{}", page.after, page.covers),
        Step::Read(window) => format!("read {}", window.after),
        Step::Alone(window) => format!("alone {}..{}", window.after, window.up_to),
        Step::Wait(_) => "wait".to_owned(),
    }
}

#[test]
fn the_first_page_begins_with_the_lowest_of_those_that_start_together() {
    let (mut ring, now) = (ring(3, &[]), Instant::now());
    assert_eq!(does(&mut ring, 0, window(5, 100), now), "wait");
    assert_eq!(does(&mut ring, 1, window(2, 100), now), "wait");
    assert_eq!(does(&mut ring, 2, window(9, 100), now), "wait", "not the lowest");
    assert_eq!(does(&mut ring, 1, window(2, 100), now), "read 2");
    assert_eq!(does(&mut ring, 0, window(5, 100), now), "wait", "it is being read");
    ring.push(page(2, 20));
    ring.has_read();
    for (member, after) in [(0, 5), (1, 2), (2, 9)] {
        assert_eq!(does(&mut ring, member, window(after, 100), now), "take 2..20");
    }
}

#[test]
fn one_that_does_not_start_is_not_waited_for_long() {
    let (mut ring, now) = (ring(2, &[]), Instant::now());
    assert_eq!(does(&mut ring, 0, window(0, 100), now), "wait");
    assert_eq!(does(&mut ring, 0, window(0, 100), now + GATHER), "read 0");
}

#[test]
fn a_page_that_somebody_has_not_taken_holds_the_others_for_a_while() {
    let (mut ring, now) = (ring(2, &[(0, 10)]), Instant::now());
    assert_eq!(does(&mut ring, 0, window(0, 100), now), "take 0..10");
    for after in [10, 20, 30] {
        ring.push(page(after, after + 10));
    }
    ring.members[1].wants = Some((window(0, 100), now));
    assert_eq!(does(&mut ring, 0, window(40, 100), now), "wait");
    assert_eq!(does(&mut ring, 1, window(0, 100), now), "take 0..10");
    assert_eq!(does(&mut ring, 0, window(40, 100), now), "read 40");

    ring.has_read();
    ring.push(page(40, 50));
    assert_eq!(does(&mut ring, 0, window(50, 100), now), "wait");
    assert_eq!(does(&mut ring, 0, window(50, 100), now + 2 * PATIENCE), "read 50");
}

#[test]
fn one_that_lags_reads_by_itself_until_it_meets_the_others() {
    let (mut ring, now) = (ring(2, &[(50, 60), (60, 70)]), Instant::now());
    assert_eq!(does(&mut ring, 0, window(60, 100), now), "take 60..70");
    assert_eq!(does(&mut ring, 1, window(20, 100), now), "alone 20..50");
    assert_eq!(does(&mut ring, 1, window(50, 100), now), "take 50..60");
}

#[test]
fn one_that_is_ahead_waits_only_if_that_is_the_shorter_way() {
    let (mut ring, now) = (ring(2, &[(0, 10)]), Instant::now());
    assert_eq!(does(&mut ring, 0, window(0, 100), now), "take 0..10");
    assert_eq!(does(&mut ring, 1, window(40, 100), now), "wait");
    assert_eq!(does(&mut ring, 1, window(90, 100), now), "alone 90..100");
}

#[test]
fn pages_that_nobody_needs_make_room_for_a_scan_elsewhere() {
    let (mut ring, now) = (ring(2, &[(90, 100)]), Instant::now());
    assert_eq!(does(&mut ring, 0, window(90, 100), now), "take 90..100");
    assert_eq!(does(&mut ring, 1, window(0, 100), now), "read 0", "the other wants nothing more");
}

#[test]
fn a_read_that_was_given_up_is_taken_over() {
    let (mut ring, now) = (ring(2, &[(0, 10)]), Instant::now());
    assert_eq!(does(&mut ring, 0, window(10, 100), now), "read 10");
    assert_eq!(does(&mut ring, 1, window(10, 100), now), "wait");
    ring.has_read();
    assert_eq!(does(&mut ring, 1, window(10, 100), now), "read 10");
}

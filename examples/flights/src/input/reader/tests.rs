use super::*;

const DELAYED: &str = "2013,1,1,517,515,2,830,819,11,UA,1545,N14228,EWR,IAH,227,1400,5,15,2013-01-01T10:00:00Z";
const CANCELLED: &str = "2013,1,1,NA,1630,NA,NA,1815,NA,EV,4308,N18120,EWR,RDU,NA,416,16,30,2013-01-01T21:00:00Z";

fn file(rows: &[&str]) -> Vec<u8> {
    let mut text = COLUMNS.join(",");
    for row in rows {
        text.push('\n');
        text.push_str(row);
    }
    text.into_bytes()
}

fn read_all(file: &[u8]) -> (u64, Vec<String>) {
    let mut malformed = Vec::new();
    let history = read(file, |row| malformed.push(row.to_string())).unwrap();
    (history.flights(), malformed)
}

/// What is said of `DELAYED` with one column set to another value.
fn fault_with(column: &str, value: &str) -> String {
    let at = COLUMNS.iter().position(|name| *name == column).unwrap();
    let mut fields: Vec<&str> = DELAYED.split(',').collect();
    fields[at] = value;
    let (flights, malformed) = read_all(&file(&[&fields.join(",")]));
    assert_eq!(flights + malformed.len() as u64, 1);
    malformed.into_iter().next().unwrap_or_default()
}

#[test]
fn flights_that_departed_and_flights_that_did_not_are_read() {
    assert_eq!(read_all(&file(&[DELAYED, CANCELLED])), (2, vec![]));
}

#[test]
fn a_malformed_row_is_named_with_its_line_and_the_others_go_on() {
    let file = file(&["2013,1,1", DELAYED, "", "x", CANCELLED]);
    let (flights, malformed) = read_all(&file);
    assert_eq!(flights, 2);
    assert_eq!(malformed, ["line 2: 3 fields; a flight has 19", "line 5: 1 fields; a flight has 19"]);
}

#[test]
fn a_stray_quote_spoils_its_own_row_only() {
    let quoted = DELAYED.replace("UA", "\"UA");
    let (flights, malformed) = read_all(&file(&[&quoted, CANCELLED]));
    assert_eq!(flights, 1);
    assert_eq!(malformed, [r#"line 2: carrier is "\"UA", and should be 2 to 8 ASCII letters and digits"#]);
}

#[test]
fn bytes_that_are_no_text_are_named_with_their_column() {
    let mut file = file(&[DELAYED]);
    let at = file.windows(6).position(|window| window == b"N14228").unwrap();
    file[at] = 0xff;
    assert_eq!(read_all(&file), (0, vec!["line 2: tailnum is not UTF-8: \"\u{fffd}14228\"".to_owned()]));
}

#[test]
fn a_number_that_is_none_is_shown_with_what_it_should_be() {
    assert_eq!(
        fault_with("distance", "14oo"),
        "line 2: distance is \"14oo\", and should be a whole number from 0 to 65535"
    );
    assert_eq!(
        fault_with("distance", "-1400"),
        "line 2: distance is \"-1400\", and should be a whole number from 0 to 65535"
    );
    assert_eq!(
        fault_with("distance", "70000"),
        "line 2: distance is \"70000\", and should be a whole number from 0 to 65535"
    );
    assert!(fault_with("dep_delay", "2.5").contains("dep_delay is \"2.5\""));
    assert!(fault_with("dep_delay", "-1438").contains("at most 720 early"));
    assert!(fault_with("flight", "").contains("flight is \"\""));
}

#[test]
fn what_every_flight_has_must_be_said() {
    assert_eq!(fault_with("carrier", "NA"), "line 2: carrier is not said, and every flight has one");
    assert_eq!(fault_with("dep_delay", "NA"), "line 2: dep_delay is not said, and dep_time is");
    assert_eq!(fault_with("arr_time", "NA"), "line 2: arr_time is not said, and arr_delay is");
    assert_eq!(fault_with("dep_time", "NA"), "line 2: dep_time is not said, and dep_delay is");
}

#[test]
fn what_the_data_does_not_say_of_some_flights_may_be_missing() {
    assert_eq!(fault_with("tailnum", "NA"), "");
    assert_eq!(fault_with("air_time", "NA"), "");
    assert_eq!(fault_with("arr_delay", "NA"), "");
}

#[test]
fn an_impossible_date_or_time_is_refused() {
    assert_eq!(fault_with("month", "13"), "line 2: month is \"13\", and should be a month from 1 to 12");
    assert_eq!(fault_with("day", "32"), "line 2: day is \"32\", and should be a day of that month");
    assert_eq!(
        fault_with("arr_time", "861"),
        "line 2: arr_time is \"861\", and should be a clock time from 0 to 2400, such as 1745"
    );
    assert!(fault_with("time_hour", "2013-01-01").contains("time_hour is \"2013-01-01\""));
}

#[test]
fn columns_that_contradict_each_other_are_refused() {
    assert_eq!(
        fault_with("dep_delay", "3"),
        "line 2: dep_time is 05:17, but sched_dep_time and dep_delay makes it 05:18"
    );
    assert_eq!(fault_with("minute", "16"), "line 2: sched_dep_time is 05:15, but hour and minute makes it 05:16");
    assert!(fault_with("time_hour", "2013-01-01T12:00:00Z").contains("time_hour is 2013-01-01 12:00:00"));
}

#[test]
fn a_flight_that_stands_in_the_file_twice_counts_once() {
    let (flights, malformed) = read_all(&file(&[DELAYED, CANCELLED, DELAYED]));
    assert_eq!(flights, 2);
    assert_eq!(malformed, ["line 4: flight 2013-01-01-UA1545-EWR stands on line 2 already"]);
}

#[test]
fn a_file_with_another_header_or_none_is_refused() {
    let error = read(&b"year,month\n2013,1\n"[..], |_| {}).unwrap_err().to_string();
    assert!(error.contains("expected: year,month,day,dep_time"), "{error}");
    assert!(error.contains("found:    year,month"), "{error}");
    assert!(matches!(read(&b""[..], |_| {}), Err(InputError::Empty { .. })));
}

#[test]
fn lines_may_end_as_on_windows_and_the_file_with_a_byte_order_mark() {
    let mut text = b"\xef\xbb\xbf".to_vec();
    text.extend(file(&[DELAYED, "x", CANCELLED]).iter().flat_map(|byte| match byte {
        b'\n' => vec![b'\r', b'\n'],
        byte => vec![*byte],
    }));
    assert_eq!(read_all(&text), (2, vec!["line 3: 1 fields; a flight has 19".to_owned()]));
}

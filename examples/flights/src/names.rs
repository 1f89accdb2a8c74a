//! What the airlines are called: the flights have codes only.

use crate::ids::Carrier;

/// The name of an airline, or its code where it is not known.
#[must_use]
pub fn airline(carrier: &Carrier) -> &str {
    match carrier.as_str() {
        "9E" => "Endeavor Air",
        "AA" => "American Airlines",
        "AS" => "Alaska Airlines",
        "B6" => "JetBlue Airways",
        "DL" => "Delta Air Lines",
        "EV" => "ExpressJet Airlines",
        "F9" => "Frontier Airlines",
        "FL" => "AirTran Airways",
        "HA" => "Hawaiian Airlines",
        "MQ" => "Envoy Air",
        "OO" => "SkyWest Airlines",
        "UA" => "United Air Lines",
        "US" => "US Airways",
        "VX" => "Virgin America",
        "WN" => "Southwest Airlines",
        "YV" => "Mesa Airlines",
        code => code,
    }
}

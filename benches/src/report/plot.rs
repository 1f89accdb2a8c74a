//! The events a second as bars, in SVG. The scale is logarithmic: between the slowest way and the fastest lie three
//! orders of magnitude.

use std::fmt::Write as _;

use super::{Report, numbers::whole};
use crate::{case::Case, way::Way};

/// What is drawn of each case.
const WAYS: [Way; 5] = [Way::PerEvent, Way::PlainBatch, Way::Default, Way::Rebuild, Way::Scan];

const WIDTH: f64 = 760.0;
/// Where the bars begin; left of it are their names.
const LEFT: f64 = 160.0;
/// Where the longest may end; right of it is its number.
const RIGHT: f64 = 680.0;
const BAR: f64 = 18.0;
const STEP: f64 = 24.0;
const TITLE: f64 = 34.0;
/// The least and the most that is drawn, as powers of ten.
const LEAST: f64 = 2.0;
const MOST: f64 = 6.0;

impl Report<'_> {
    /// A document of its own, readable on light and on dark.
    pub(crate) fn plot(&self) -> String {
        let of_case = TITLE + STEP * WAYS.len() as f64;
        let height = of_case * self.cases.len() as f64 + 40.0;
        let mut svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {WIDTH} {height}\" \
             font-family=\"system-ui, sans-serif\" font-size=\"13\">\n\
             <rect width=\"{WIDTH}\" height=\"{height}\" fill=\"#ffffff\"/>\n"
        );
        let bottom = height - 28.0;
        for power in 2..=6_i32 {
            let (x, label) = (across(10_f64.powi(power)), whole(10_f64.powi(power)));
            _ = writeln!(svg, "<line x1=\"{x:.1}\" y1=\"8\" x2=\"{x:.1}\" y2=\"{bottom:.1}\" stroke=\"#dddddd\"/>");
            _ = writeln!(
                svg,
                "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\" fill=\"#666666\">{label}</text>",
                bottom + 18.0
            );
        }
        for (place, case) in self.cases.iter().enumerate() {
            bars(&mut svg, case, of_case * place as f64);
        }
        svg.push_str("</svg>\n");
        svg
    }
}

fn bars(svg: &mut String, case: &Case, top: f64) {
    let (events, instances) = (whole(case.shape.events as f64), whole(case.shape.instances as f64));
    _ = writeln!(
        svg,
        "<text x=\"8\" y=\"{:.1}\" font-weight=\"bold\" fill=\"#222222\">{events} events, {instances} instances: events a second</text>",
        top + 24.0
    );
    for (place, way) in WAYS.into_iter().enumerate() {
        let rate = case.rate(way);
        let y = top + TITLE + STEP * place as f64;
        let end = across(rate);
        let middle = y + 13.5;
        let colour = if way.is_ours() { "#2f6f4f" } else { "#9aa5ad" };
        _ = writeln!(
            svg,
            "<text x=\"{:.1}\" y=\"{middle:.1}\" text-anchor=\"end\" fill=\"#222222\">{}</text>",
            LEFT - 8.0,
            way.title()
        );
        _ = writeln!(
            svg,
            "<rect x=\"{LEFT:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{BAR}\" fill=\"{colour}\"/>",
            end - LEFT
        );
        _ = writeln!(svg, "<text x=\"{:.1}\" y=\"{middle:.1}\" fill=\"#222222\">{}</text>", end + 6.0, whole(rate));
    }
}

/// How far across the picture a rate is.
fn across(rate: f64) -> f64 {
    let power = rate.max(1.0).log10().clamp(LEAST, MOST);
    LEFT + (RIGHT - LEFT) * (power - LEAST) / (MOST - LEAST)
}

#[cfg(test)]
mod tests {
    use clap::Parser as _;

    use super::*;
    use crate::{Args, report::ratios::tests::case};

    #[test]
    fn ten_times_as_fast_is_one_step_further() {
        assert!((across(100.0) - LEFT).abs() < 1e-9);
        assert!((across(1e6) - RIGHT).abs() < 1e-9);
        let step = (RIGHT - LEFT) / 4.0;
        assert!((across(20_000.0) - across(2_000.0) - step).abs() < 1e-9);
        assert!((across(0.0) - LEFT).abs() < 1e-9);
    }

    #[test]
    fn each_way_has_a_bar_and_a_number() {
        let args = Args::parse_from(["replay"]);
        let cases = vec![case(&[(Way::Rebuild, 0.01), (Way::Scan, 0.002)])];
        let svg = Report { args: &args, cases, flights: None }.plot();
        assert_eq!(svg.matches("<rect").count(), 1 + WAYS.len());
        assert!(svg.contains(">100,000</text>") && svg.contains(">500,000</text>"), "{svg}");
        assert!(svg.trim_end().ends_with("</svg>"));
    }
}

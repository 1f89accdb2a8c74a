//! The week that lies in the repository, row by row as the year has it.

use std::io::BufRead;

use anyhow::{Context, Result};

/// The rows of the sample.
pub(super) struct Sample {
    /// The header and the rows, byte for byte.
    pub(super) text: String,
    /// How many rows there are.
    pub(super) rows: usize,
}

/// Keeps the header and the flights of January 1 to 7. The checksum of the year stands for its form: no field of it
/// is quoted.
pub(super) fn cut(year: impl BufRead) -> Result<Sample> {
    let mut lines = year.lines();
    let header = lines.next().context("the file is empty")??;
    let column = |name: &str| {
        header.split(',').position(|column| column == name).with_context(|| format!("no column {name} in {header}"))
    };
    let (month, day) = (column("month")?, column("day")?);
    let mut sample = Sample { text: header.clone() + "\n", rows: 0 };
    for (line, number) in lines.zip(2_u64..) {
        let line = line?;
        let field = |column| {
            let number_in = line.split(',').nth(column).and_then(|field| field.parse::<u8>().ok());
            number_in.with_context(|| format!("line {number}: no number in column {column}: {line}"))
        };
        if field(month)? == 1 && field(day)? <= 7 {
            sample.text += &line;
            sample.text.push('\n');
            sample.rows += 1;
        }
    }
    Ok(sample)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_sample_is_the_header_and_the_first_week_as_they_were() {
        let year = "year,month,day,x\n2013,1,1,a\n2013,1,7,\n2013,1,8,c\n2013,10,1,d\n2013,2,1,e\n";
        let sample = cut(year.as_bytes()).unwrap();
        assert_eq!(sample.text, "year,month,day,x\n2013,1,1,a\n2013,1,7,\n");
        assert_eq!(sample.rows, 2);
    }

    #[test]
    fn a_row_without_a_date_is_an_error_that_names_its_line() {
        let message = cut("month,day\n1,1\n1\n".as_bytes()).err().unwrap().to_string();
        assert!(message.contains("line 3"), "{message}");
    }

    #[test]
    fn a_file_with_other_columns_is_refused() {
        assert!(cut("a,b\n".as_bytes()).is_err());
        assert!(cut("".as_bytes()).is_err());
    }
}

//! Reports in plain words.

use enclust_core::{Report, Status};

/// What the enhancement or a learned representation did, in sentences.
///
/// ```
/// use enclust_core::{Report, Status};
/// use enclust_report::in_words;
///
/// let text = in_words(&Report::new("admm", Status::IterationLimit));
/// assert!(text.starts_with("The part admm ended at its limit of iterations"));
/// ```
pub fn in_words(report: &Report) -> String {
    let Report { component, status, iterations, .. } = report;
    match status {
        Status::Direct => format!("The part {component} needs no iteration."),
        Status::Converged => {
            format!("The part {component} met its stopping rule after {iterations} iterations.")
        }
        Status::IterationLimit => format!(
            "The part {component} ended at its limit of iterations, {iterations}, before its stopping rule was \
             met. The result may still change; a larger limit or another stopping rule helps."
        ),
        Status::TimeLimit => format!(
            "The part {component} ended at its time limit after {iterations} iterations, before its stopping \
             rule was met."
        ),
        Status::PrecisionLimit => format!(
            "The part {component} ended after {iterations} iterations because the precision of the numbers \
             does not allow further progress; --precision f64 does."
        ),
        other => format!("The part {component}: {other} after {iterations} iterations."),
    }
}

/// What the certificate of an optimum means; `None` if there is none.
///
/// ```
/// use enclust_core::{Certificate, Report, Status};
/// use enclust_report::about_certificate;
///
/// let report = Report::new("exact", Status::Converged).with_certificate(Certificate::default());
/// assert!(about_certificate(&report).unwrap().contains("optimum"));
/// ```
pub fn about_certificate(report: &Report) -> Option<String> {
    let found = report.certificate?;
    Some(format!(
        "The enhanced matrix is proven to be close to the only optimum of its problem: the distance is \
         at most {:.1e} of the norm of the matrix before, no entry is off by more than {:.1e}, and the \
         objective is at most {:.1e} above its minimum. The bounds are computed from the result itself, so \
         they hold whatever the solver did.",
        found.relative_distance, found.largest_distance, found.objective_gap
    ))
}

/// Words as a line for a POSIX shell that repeats the command.
///
/// ```
/// use enclust_report::as_command;
///
/// let words = ["/opt/bin/enclust", "cluster", "my pool.csv", "--k", "3"].map(String::from);
/// assert_eq!(as_command(&words), "enclust cluster 'my pool.csv' --k 3");
/// ```
pub fn as_command(words: &[String]) -> String {
    let program = words.first().map(|word| word.rsplit(['/', '\\']).next().unwrap_or(word));
    let quoted = |word: &str| {
        let is_plain = |c: char| c.is_alphanumeric() || "-_./,:=+@%".contains(c);
        if !word.is_empty() && word.chars().all(is_plain) {
            return word.to_string();
        }
        format!("'{}'", word.replace('\'', r"'\''"))
    };
    let words = program.into_iter().chain(words.iter().skip(1).map(String::as_str));
    words.map(quoted).collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::as_command;

    #[test]
    fn words_that_a_shell_would_read_are_quoted() {
        let words = ["enclust", "a'b", "$HOME", "", "ä.csv", "a;b"].map(String::from);
        assert_eq!(as_command(&words), r"enclust 'a'\''b' '$HOME' '' ä.csv 'a;b'");
    }
}

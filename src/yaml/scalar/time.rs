//! Times in the forms of YAML 1.1.

/// A text of a time's form without such a day or hour, like `2020-02-30`; PyYAML's reader fails.
pub(crate) fn is_impossible_time(text: &str) -> bool {
    text.as_bytes().get(4) == Some(&b'-') && is_time(text) && !exists(text)
}

/// Whether there is such a day and hour.
pub(super) fn exists(time: &str) -> bool {
    let mut numbers = time
        .split(|c: char| !c.is_ascii_digit())
        .filter(|part| !part.is_empty())
        .map(|part| part.parse::<i16>().unwrap_or(i16::MAX));
    let mut next = || numbers.next().unwrap_or(0);
    let year = next();
    let mut small = || i8::try_from(next()).unwrap_or(i8::MAX);
    let day = jiff::civil::Date::new(year, small(), small());
    let clock = jiff::civil::Time::new(small(), small(), small(), 0);
    let zone = time.rfind(['+', '-']).filter(|at| *at > 10);
    let hours = zone.and_then(|at| time[at + 1..].split(':').next()?.parse::<u8>().ok());
    year > 0 && day.is_ok() && clock.is_ok() && hours.is_none_or(|hours| hours < 24)
}

/// `YYYY-MM-DD`, or a date and a time.
pub(super) fn is_time(text: &str) -> bool {
    let bytes = text.as_bytes();
    let digits = |from: usize, to: usize| {
        to <= bytes.len() && from < to && bytes[from..to].iter().all(u8::is_ascii_digit)
    };
    if bytes.len() < 8 || !digits(0, 4) || bytes[4] != b'-' {
        return false;
    }
    if bytes.len() == 10 && digits(5, 7) && bytes[7] == b'-' && digits(8, 10) {
        return true;
    }
    let Some(rest) = text[5..].split_once('-') else {
        return false;
    };
    let (month, rest) = rest;
    let small =
        |part: &str| matches!(part.len(), 1 | 2) && part.bytes().all(|byte| byte.is_ascii_digit());
    let day_end = rest.bytes().take_while(u8::is_ascii_digit).count();
    if !small(month) || !small(&rest[..day_end]) {
        return false;
    }
    let after_day = &rest[day_end..];
    let time = match after_day.as_bytes().first() {
        Some(b'T' | b't') => &after_day[1..],
        Some(b' ' | b'\t') => after_day.trim_start_matches([' ', '\t']),
        _ => return false,
    };
    let (clock, zone) = match time.find(['Z', '+', '-', ' ', '\t']) {
        Some(at) => (&time[..at], time[at..].trim_start_matches([' ', '\t'])),
        None => (time, ""),
    };
    let mut parts = clock.split(':');
    let (Some(hour), Some(minute), Some(second), None) =
        (parts.next(), parts.next(), parts.next(), parts.next())
    else {
        return false;
    };
    let (whole, fraction) = second.split_once('.').unwrap_or((second, ""));
    let clock_good = small(hour)
        && minute.len() == 2
        && small(minute)
        && whole.len() == 2
        && small(whole)
        && fraction.bytes().all(|byte| byte.is_ascii_digit());
    let zone_good = zone.is_empty()
        || zone == "Z"
        || zone.strip_prefix(['+', '-']).is_some_and(|zone| {
            let (hours, minutes) = zone.split_once(':').unwrap_or((zone, "00"));
            small(hours) && minutes.len() == 2 && small(minutes)
        });
    clock_good && zone_good
}

/// A time with two digits for month and day, and what follows its date.
pub(super) fn padded(text: &str) -> Option<(String, &str)> {
    let date = text.split(['T', 't', ' ', '\t']).next().unwrap_or("");
    let rest = &text[date.len()..];
    let parts: Vec<&str> = date.split('-').collect();
    match parts[..] {
        [year, month, day] => Some((format!("{year}-{month:0>2}-{day:0>2}{rest}"), rest)),
        _ => None,
    }
}

/// Whether PyYAML takes the text for a time under the tag `timestamp`.
pub(super) fn is_tagged_time(text: &str) -> bool {
    padded(text).is_some_and(|(whole, _)| is_time(&whole) && exists(&whole))
}

/// Whether go-yaml does: a date, or a date and a time of day in one of two forms.
pub(super) fn is_go_time(text: &str) -> bool {
    let Some((whole, rest)) = padded(text) else {
        return false;
    };
    let zoned = rest.ends_with('Z') || rest.get(1..).is_some_and(|rest| rest.contains(['+', '-']));
    let form = match rest.chars().next() {
        None => true,
        Some(' ') => !zoned && !rest[1..].starts_with(' '),
        _ => zoned,
    };
    form && is_time(&whole) && exists(&whole)
}

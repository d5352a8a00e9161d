//! JSON with one item of a section a line: short enough for the answers that are larger than
//! their site, and still for people and `grep`.

use std::io::{self, Write as _};
use std::sync::{Mutex, PoisonError};

use serde::Serialize;
use serde_json::ser::{Formatter, Serializer};

use super::{Fields, Part};
use crate::kit::safe::escape;
use crate::parallel;

/// Bytes collected before they are handed on.
const CHUNK: usize = 1 << 18;

/// Writes a value as JSON: the first levels indented, what they hold on one line each.
///
/// # Errors
/// Any error from the writer.
pub fn write(value: &impl Serialize, out: &mut dyn io::Write) -> io::Result<()> {
    let mut buffer = Buffer {
        bytes: Vec::with_capacity(CHUNK + (1 << 12)),
        out,
    };
    let mut serializer = Serializer::with_formatter(&mut buffer, Lines::default());
    value.serialize(&mut serializer)?;
    io::Write::flush(&mut buffer)
}

/// Bytes of rows that a thread writes at a time, about.
const RUN: usize = 1 << 16;

/// An object written field by field, its long lists on several threads; the bytes are those of
/// [`write`].
pub struct Object<'o> {
    buffer: Buffer<'o>,
    jobs: usize,
    begun: bool,
}

impl<'o> Object<'o> {
    /// Begins the object.
    ///
    /// # Errors
    /// Any error from the writer.
    pub fn begin(out: &'o mut dyn io::Write, jobs: usize) -> io::Result<Self> {
        let bytes = Vec::with_capacity(CHUNK + (1 << 12));
        let mut buffer = Buffer { bytes, out };
        buffer.write_all(b"{")?;
        Ok(Self {
            buffer,
            jobs,
            begun: false,
        })
    }

    /// Ends the object.
    ///
    /// # Errors
    /// Any error from the writer.
    pub fn end(mut self) -> io::Result<()> {
        self.buffer
            .write_all(if self.begun { b"\n}" } else { b"}" })?;
        self.buffer.flush()
    }

    fn key(&mut self, key: &str) -> io::Result<()> {
        let comma = if self.begun { "," } else { "" };
        self.begun = true;
        write!(self.buffer, "{comma}\n  \"{key}\": ")
    }
}

impl Fields for Object<'_> {
    type Error = io::Error;

    fn field(&mut self, key: &'static str, value: &impl Serialize) -> io::Result<()> {
        self.key(key)?;
        value.serialize(&mut Lines::at(1).to(&mut self.buffer))?;
        Ok(())
    }

    fn part(&mut self, part: &Part<'_>) -> io::Result<()> {
        self.key(part.key)?;
        let Some(count) = part.count() else {
            let mut text = Vec::new();
            part.rows.write(0, Lines::at(1), &mut text)?;
            return self.buffer.write_all(&text);
        };
        let written = Mutex::new(Vec::new());
        let pool = || written.lock().unwrap_or_else(PoisonError::into_inner);
        let line = |at: usize, text: &mut Vec<u8>| -> io::Result<()> {
            text.extend_from_slice(if at == 0 { b"\n    " } else { b",\n    " });
            part.rows.write(at, Lines::at(2), text)
        };
        // The first row shows how many of them make a run.
        let mut first = Vec::new();
        if count > 0 {
            line(0, &mut first)?;
        }
        let size = (RUN / first.len().max(1)).clamp(1, RUN);
        let lines = |run: usize| -> io::Result<Vec<u8>> {
            let mut text: Vec<u8> = pool().pop().unwrap_or_default();
            for at in 1 + run * size..count.min(1 + (run + 1) * size) {
                line(at, &mut text)?;
            }
            Ok(text)
        };
        self.buffer.write_all(b"[")?;
        self.buffer.write_all(&first)?;
        let buffer = &mut self.buffer;
        let runs = count.saturating_sub(1).div_ceil(size);
        parallel::in_order(self.jobs, runs, lines, |text| {
            let mut text = text?;
            buffer.write_all(&text)?;
            text.clear();
            pool().push(text);
            Ok::<(), io::Error>(())
        })?;
        self.buffer
            .write_all(if count > 0 { b"\n  ]" } else { b"]" })
    }
}

/// A buffer that is appended to without asking who is behind it.
struct Buffer<'o> {
    bytes: Vec<u8>,
    out: &'o mut dyn io::Write,
}

impl io::Write for Buffer<'_> {
    #[inline]
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.write_all(bytes)?;
        Ok(bytes.len())
    }

    #[inline]
    fn write_all(&mut self, bytes: &[u8]) -> io::Result<()> {
        if bytes.len() >= RUN / 2 {
            self.hand_on()?;
            return self.out.write_all(bytes);
        }
        self.bytes.extend_from_slice(bytes);
        if self.bytes.len() >= CHUNK {
            self.hand_on()
        } else {
            Ok(())
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        self.hand_on()?;
        self.out.flush()
    }
}

impl Buffer<'_> {
    #[cold]
    fn hand_on(&mut self) -> io::Result<()> {
        self.out.write_all(&self.bytes)?;
        self.bytes.clear();
        Ok(())
    }
}

/// Breaks lines between the entries of the outermost container and of those in it, and of the
/// objects in those as well: the lists of a section that is an object.
#[derive(Debug, Default)]
pub(super) struct Lines {
    depth: usize,
    /// Whether the container at depth 2 is an object.
    object: bool,
    filled: bool,
}

impl Lines {
    /// For a value inside so many containers.
    fn at(depth: usize) -> Self {
        Self {
            depth,
            ..Self::default()
        }
    }

    /// A serializer of this form.
    pub(super) fn to<W: io::Write>(self, out: W) -> Serializer<W, Self> {
        Serializer::with_formatter(out, self)
    }

    #[inline]
    fn begin<W: ?Sized + io::Write>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        self.depth += 1;
        if self.depth == 2 {
            self.object = bracket == b'{';
        }
        self.filled = false;
        out.write_all(&[bracket])
    }

    #[inline]
    fn end<W: ?Sized + io::Write>(&mut self, out: &mut W, bracket: u8) -> io::Result<()> {
        let broken = self.filled && self.breaks();
        self.depth -= 1;
        if broken {
            self.line(out)?;
        }
        self.filled = true;
        out.write_all(&[bracket])
    }

    #[inline]
    fn next<W: ?Sized + io::Write>(&mut self, out: &mut W, first: bool) -> io::Result<()> {
        if !first {
            out.write_all(b",")?;
        }
        if self.breaks() {
            self.line(out)
        } else {
            Ok(())
        }
    }

    #[inline]
    fn breaks(&self) -> bool {
        self.depth <= 2 || (self.depth == 3 && self.object)
    }

    fn line<W: ?Sized + io::Write>(&self, out: &mut W) -> io::Result<()> {
        out.write_all(&b"\n      "[..=2 * self.depth.min(3)])
    }
}

impl Formatter for Lines {
    #[inline]
    fn write_string_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        out.write_all(escape(fragment).as_bytes())
    }

    #[inline]
    fn write_raw_fragment<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        // JSON written before holds such characters inside of texts alone.
        out.write_all(escape(fragment).as_bytes())
    }

    #[inline]
    fn begin_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b'[')
    }

    #[inline]
    fn end_array<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b']')
    }

    #[inline]
    fn begin_array_value<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next(out, first)
    }

    #[inline]
    fn end_array_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }

    #[inline]
    fn begin_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.begin(out, b'{')
    }

    #[inline]
    fn end_object<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        self.end(out, b'}')
    }

    #[inline]
    fn begin_object_key<W: ?Sized + io::Write>(
        &mut self,
        out: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.next(out, first)
    }

    #[inline]
    fn begin_object_value<W: ?Sized + io::Write>(&mut self, out: &mut W) -> io::Result<()> {
        out.write_all(if self.breaks() { b": " } else { b":" })
    }

    #[inline]
    fn end_object_value<W: ?Sized + io::Write>(&mut self, _: &mut W) -> io::Result<()> {
        self.filled = true;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::super::Rows;
    use super::*;

    fn written(value: &Value) -> String {
        let mut out: Vec<u8> = Vec::new();
        write(value, &mut out).unwrap();
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn an_item_of_a_section_is_a_line() {
        let value = json!({
            "kind": "Plan",
            "documents": {"read": 1},
            "list": [{"name": "a", "of": [1, {"x": "é\n"}]}, [], {}],
            "strategy": {"groups": [{"name": "a"}, {"name": "b"}], "none": [], "map": {"k": [1]}},
            "empty": [],
        });
        let wanted = r#"{
  "kind": "Plan",
  "documents": {
    "read": 1
  },
  "list": [
    {"name":"a","of":[1,{"x":"é\n"}]},
    [],
    {}
  ],
  "strategy": {
    "groups": [
      {"name":"a"},
      {"name":"b"}
    ],
    "none": [],
    "map": {
      "k": [1]
    }
  },
  "empty": []
}"#;
        assert_eq!(written(&value), wanted);
    }

    struct Numbers(usize);

    impl Rows for Numbers {
        fn count(&self) -> usize {
            self.0
        }

        fn row(&self, at: usize) -> impl Serialize {
            json!({"number": at, "text": "x".repeat(at % 700)})
        }
    }

    #[test]
    fn rows_are_the_same_on_any_number_of_threads() {
        for count in [0, 1, 2, 63, 3000] {
            let rows = Numbers(count);
            let list: Vec<Value> = (0..count).map(|at| json!(rows.row(at))).collect();
            let wanted = written(&json!({"kind": "Plan", "list": list, "none": []}));
            for jobs in 1..4 {
                let mut out: Vec<u8> = Vec::new();
                let mut object = Object::begin(&mut out, jobs).unwrap();
                object.field("kind", &"Plan").unwrap();
                object.part(&Part::rows("list", Numbers(count))).unwrap();
                object.part(&Part::rows("none", Numbers(0))).unwrap();
                object.end().unwrap();
                assert_eq!(String::from_utf8(out).unwrap(), wanted);
            }
        }
    }

    #[test]
    fn whatever_is_written_reads_back() {
        let mut deep = json!({"a": [], "b": {}, "c": [1, {"d": "\u{1b}"}, [[]]]});
        for _ in 0..40 {
            deep = json!({"x": [deep, null], "y": [[], {}]});
        }
        assert_eq!(
            serde_json::from_str::<Value>(&written(&deep)).unwrap(),
            deep
        );
        let harmful = json!({"k\u{9b}": "\u{7f}\u{202e}ä"});
        let text = written(&harmful);
        assert_eq!(crate::render::clean_lines(&text), text);
        assert_eq!(serde_json::from_str::<Value>(&text).unwrap(), harmful);
    }
}

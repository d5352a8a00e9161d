//! Where the text of a scalar over several lines stands in its file.

use super::Node;

/// The stretches of a text that are written as they read: where each begins in the text and in
/// the file.
#[derive(Debug)]
pub struct Stretches(Vec<(usize, usize)>);

impl Stretches {
    /// Stretches in order; `None` if there is none.
    #[must_use]
    pub fn of(all: Vec<(usize, usize)>) -> Option<Self> {
        (!all.is_empty()).then_some(Self(all))
    }

    /// The lines of a literal block; `None` of a folded one, which has other lines in its text than
    /// in the file. `source` is the scalar as it is written.
    #[must_use]
    pub fn of_block(node: Node<'_>, source: &str, text: &str) -> Option<Self> {
        let mut at = node.span().start as usize;
        // The span starts at the first character, after leading empty lines.
        let mut begins = text.len() - text.trim_start_matches('\n').len();
        let mut lines = vec![(0, at); usize::from(begins > 0)];
        let mut file = source.split_inclusive('\n');
        for line in text[begins..].split_inclusive('\n') {
            let written = file.next()?;
            let bare = written.trim_end_matches(['\n', '\r']);
            let content = line.strip_suffix('\n').unwrap_or(line);
            // The span starts after the extra indentation of the first line.
            let is_first = at == node.span().start as usize;
            let indent = content.len() - content.trim_start_matches(' ').len();
            let indent = if is_first { indent } else { 0 };
            if !bare.ends_with(&content[indent..]) {
                return None;
            }
            lines.push((begins + indent, at + bare.len() + indent - content.len()));
            begins += line.len();
            at += written.len();
        }
        Self::of(lines)
    }

    /// Where an offset of the text stands in the file.
    #[must_use]
    pub fn at(&self, offset: usize) -> usize {
        let next = self.0.partition_point(|(begins, _)| *begins <= offset);
        let (text, file) = self.0[next.saturating_sub(1)];
        file + offset.saturating_sub(text)
    }
}

//! Accessors of glTF: numbers in buffers, with every offset checked before it is used.

use std::rc::Rc;

use pliant_linalg::{Vec3, quote};

use super::document::{Accessor, Document};
use crate::io::Source;
use crate::{MeshError, Place, Result};

/// The numbers behind accessors.
pub(super) struct Numbers<'a> {
    source: &'a Source<'a>,
    document: &'a Document,
    buffers: &'a [Rc<Vec<u8>>],
    /// How many more numbers may be read. A scene may show one mesh many times; this ends it before memory does.
    budget: u64,
}

/// The numbers that any file may have, however small.
const ALWAYS: u64 = 1 << 20;
/// The numbers for each byte of the file and its buffers.
const PER_BYTE: u64 = 16;

impl<'a> Numbers<'a> {
    pub(super) fn new(source: &'a Source<'a>, document: &'a Document, buffers: &'a [Rc<Vec<u8>>]) -> Self {
        let bytes = source.bytes.len() + buffers.iter().map(|b| b.len()).sum::<usize>();
        Self { source, document, buffers, budget: ALWAYS + PER_BYTE * bytes as u64 }
    }

    /// Positions. Whole numbers are positions too (`KHR_mesh_quantization`).
    pub(super) fn points(&mut self, index: usize) -> Result<Vec<Vec3>> {
        let accessor = self.accessor(index)?;
        if accessor.kind != "VEC3" {
            return Err(self.error(index, quote(&accessor.kind), "VEC3 for positions"));
        }
        let numbers = self.numbers(index, accessor, 3)?;
        Ok(numbers.as_chunks().0.iter().map(|&p: &[f64; 3]| Vec3::from(p)).collect())
    }

    /// Corners, each below `vertices`.
    pub(super) fn indices(&mut self, index: usize, vertices: usize) -> Result<Vec<u32>> {
        let accessor = self.accessor(index)?;
        if accessor.kind != "SCALAR" || !matches!(accessor.component_type, 5121 | 5123 | 5125) {
            let found = format!("{} of component type {}", quote(&accessor.kind), accessor.component_type);
            return Err(self.error(index, found, "SCALAR of type 5121, 5123 or 5125 for indices"));
        }
        let numbers = self.numbers(index, accessor, 1)?;
        if let Some(v) = numbers.iter().find(|v| **v >= vertices as f64) {
            return Err(self.error(index, format!("vertex {v}"), format!("a number below {vertices}")));
        }
        Ok(numbers.into_iter().map(|v| v as u32).collect())
    }

    fn accessor(&self, index: usize) -> Result<&'a Accessor> {
        self.document.accessors.get(index).ok_or_else(|| {
            self.error(
                index,
                "an accessor that is not there",
                format!("one of {}", self.document.accessors.len()),
            )
        })
    }

    fn error(&self, index: usize, found: impl Into<String>, expected: impl Into<String>) -> MeshError {
        self.source.error(Place::Part(format!("accessor {index}")), found, expected)
    }

    fn numbers(&mut self, index: usize, accessor: &Accessor, width: u64) -> Result<Vec<f64>> {
        let wanted = accessor.count.saturating_mul(width);
        self.budget = self.budget.checked_sub(wanted).ok_or_else(|| {
            self.error(
                index,
                format!("{} numbers, or a mesh that is shown too often", accessor.count),
                format!("at most {PER_BYTE} numbers for each byte of the file; it is damaged"),
            )
        })?;
        let mut out = match accessor.buffer_view {
            Some(view) => {
                let part = Part { view, offset: accessor.byte_offset, component: accessor.component_type };
                self.part(index, &part, accessor.count, width, true)?
            }
            None => vec![0.0; wanted as usize],
        };
        if let Some(sparse) = &accessor.sparse {
            let (i, v) = (&sparse.indices, &sparse.values);
            if sparse.count > accessor.count || !matches!(i.component_type, 5121 | 5123 | 5125) {
                let found = format!("{} sparse values of type {}", sparse.count, i.component_type);
                return Err(self.error(
                    index,
                    found,
                    "at most as many as there are values, type 5121, 5123 or 5125",
                ));
            }
            let places = Part { view: i.buffer_view, offset: i.byte_offset, component: i.component_type };
            let places = self.part(index, &places, sparse.count, 1, false)?;
            let values =
                Part { view: v.buffer_view, offset: v.byte_offset, component: accessor.component_type };
            let values = self.part(index, &values, sparse.count, width, false)?;
            let width = width as usize;
            for (place, value) in places.iter().zip(values.chunks_exact(width)) {
                let at = *place as usize * width;
                let Some(slot) = out.get_mut(at..at + width) else {
                    return Err(self.error(index, format!("the sparse index {place}"), "one of its values"));
                };
                slot.copy_from_slice(value);
            }
        }
        let scale = match accessor.component_type {
            5120 => 127.0,
            5121 => 255.0,
            5122 => 32767.0,
            5123 => 65535.0,
            _ => return Ok(out),
        };
        if accessor.normalized {
            out.iter_mut().for_each(|x| *x = (*x / scale).max(-1.0));
        }
        Ok(out)
    }

    /// `count` × `width` numbers of a view.
    fn part(&self, index: usize, part: &Part, count: u64, width: u64, strided: bool) -> Result<Vec<f64>> {
        let outside = || {
            self.error(
                index,
                format!("numbers outside buffer view {}", part.view),
                "numbers inside the buffer; the file is cut off or damaged",
            )
        };
        let view = self.document.buffer_views.get(part.view).ok_or_else(outside)?;
        let buffer = self.buffers.get(view.buffer).ok_or_else(outside)?;
        let end = view.byte_offset.checked_add(view.byte_length).ok_or_else(outside)?;
        let bytes = usize::try_from(view.byte_offset)
            .ok()
            .zip(usize::try_from(end).ok())
            .and_then(|(start, end)| buffer.get(start..end))
            .ok_or_else(outside)?;
        let size = match part.component {
            5120 | 5121 => 1,
            5122 | 5123 => 2,
            5125 | 5126 => 4,
            other => {
                return Err(self.error(
                    index,
                    format!("component type {other}"),
                    "5120 to 5126, but not 5124",
                ));
            }
        };
        let element = size * width;
        let stride = view.byte_stride.filter(|_| strided).unwrap_or(element);
        if stride < element || stride > 252 {
            return Err(self.error(
                index,
                format!("a stride of {stride} bytes"),
                format!("{element} to 252"),
            ));
        }
        if count == 0 {
            return Ok(Vec::new());
        }
        let last = (count - 1).checked_mul(stride).and_then(|x| x.checked_add(element));
        let end = last.and_then(|x| x.checked_add(part.offset)).ok_or_else(outside)?;
        if end > bytes.len() as u64 {
            return Err(outside());
        }
        let mut out = Vec::with_capacity((count * width) as usize);
        for i in 0..count {
            for c in 0..width {
                let b = &bytes[(part.offset + i * stride + c * size) as usize..];
                out.push(match part.component {
                    5120 => f64::from(b[0] as i8),
                    5121 => f64::from(b[0]),
                    5122 => f64::from(i16::from_le_bytes([b[0], b[1]])),
                    5123 => f64::from(u16::from_le_bytes([b[0], b[1]])),
                    5125 => f64::from(u32::from_le_bytes([b[0], b[1], b[2], b[3]])),
                    _ => f64::from(f32::from_le_bytes([b[0], b[1], b[2], b[3]])),
                });
            }
        }
        Ok(out)
    }
}

/// Where numbers are.
struct Part {
    view: usize,
    offset: u64,
    component: u32,
}

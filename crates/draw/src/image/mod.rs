//! Images: pixels, how they stand side by side, their PNG; the colours and letters that are put on them.

pub mod colour;
pub(crate) mod font;
mod glyphs;
pub mod palette;

use crate::Colour;

/// A picture: four sRGB bytes for each pixel, from the top left, row by row.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Image {
    /// Width in pixels, at least 1.
    pub width: usize,
    /// Height in pixels, at least 1.
    pub height: usize,
    /// Red, green, blue, alpha.
    pub rgba: Vec<u8>,
}

/// The largest side of a picture, pixels: beyond it a typing error is likelier than a wish.
pub const LARGEST: usize = 16_384;

impl Image {
    /// A picture of one colour. Sides are held between 1 and [`LARGEST`].
    pub fn new(width: usize, height: usize, colour: Colour) -> Self {
        let (width, height) = (width.clamp(1, LARGEST), height.clamp(1, LARGEST));
        Self { width, height, rgba: [colour.r, colour.g, colour.b, 255].repeat(width * height) }
    }

    /// The colour at column `x`, row `y`.
    ///
    /// # Panics
    /// Outside the picture.
    pub fn at(&self, x: usize, y: usize) -> Colour {
        let i = 4 * (y * self.width + x);
        Colour { r: self.rgba[i], g: self.rgba[i + 1], b: self.rgba[i + 2] }
    }

    /// The pictures in one row, top-aligned on paper.
    pub fn beside(pictures: &[Self]) -> Self {
        let height = pictures.iter().map(|p| p.height).max().unwrap_or(1);
        let mut all = Self::new(pictures.iter().map(|p| p.width).sum(), height, palette::PAPER[0]);
        let mut x = 0;
        for picture in pictures {
            all.paste(picture, x, 0);
            x += picture.width;
        }
        all
    }

    /// A contact sheet of `columns` columns.
    pub fn sheet(pictures: &[Self], columns: usize) -> Self {
        let columns = columns.clamp(1, pictures.len().max(1));
        let cell = |side: fn(&Self) -> usize| pictures.iter().map(side).max().unwrap_or(1);
        let (w, h) = (cell(|p| p.width), cell(|p| p.height));
        let mut all = Self::new(w * columns, h * pictures.len().div_ceil(columns).max(1), palette::PAPER[0]);
        for (i, picture) in pictures.iter().enumerate() {
            all.paste(picture, w * (i % columns), h * (i / columns));
        }
        all
    }

    /// The pictures below one another, left-aligned on paper.
    pub fn stacked(pictures: &[Self]) -> Self {
        let width = pictures.iter().map(|p| p.width).max().unwrap_or(1);
        let mut all = Self::new(width, pictures.iter().map(|p| p.height).sum(), palette::PAPER[0]);
        let mut y = 0;
        for picture in pictures {
            all.paste(picture, 0, y);
            y += picture.height;
        }
        all
    }

    /// The picture with a line of words in the middle of its lower edge. What does not fit is cut with an ellipsis.
    pub fn captioned(mut self, caption: &str) -> Self {
        let size = self.letter_size();
        let room = self.width as f64 - 2.0 * size;
        let text = font::fitted(caption, size, room);
        let x = (self.width as f64 - font::width(&text, size)) / 2.0;
        let y = self.height as f64 - 1.5 * size;
        font::write(&mut self, [x, y], size, palette::TEXT, &text);
        self
    }

    /// The picture as a PNG file.
    pub fn to_png(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut encoder = png::Encoder::new(&mut bytes, self.width as u32, self.height as u32);
        // Every pixel is opaque: three channels hold all there is.
        encoder.set_color(png::ColorType::Rgb);
        encoder.set_depth(png::BitDepth::Eight);
        encoder.set_compression(png::Compression::Balanced);
        encoder.set_source_srgb(png::SrgbRenderingIntent::Perceptual);
        let rgb: Vec<u8> = self.rgba.chunks_exact(4).flat_map(|p| [p[0], p[1], p[2]]).collect();
        encoder
            .write_header()
            .and_then(|mut writer| {
                writer.write_image_data(&rgb)?;
                writer.finish()
            })
            .expect("writing to memory cannot fail, and the sizes agree");
        bytes
    }

    /// Height of capitals that suits this picture, pixels.
    pub(crate) fn letter_size(&self) -> f64 {
        ((self.height.min(self.width * 2) as f64) / 52.0).clamp(8.5, 26.0)
    }

    /// Blends `colour` over the pixels between two corners, as densely as `amount` (clamped to [0, 1]) says for the
    /// middle of each.
    pub(crate) fn cover(
        &mut self,
        low: [f64; 2],
        high: [f64; 2],
        colour: Colour,
        amount: impl Fn([f64; 2]) -> f64,
    ) {
        // Casts saturate: what lies outside, or is NaN, gives an empty range.
        let (x0, x1) = (low[0].floor() as usize, (high[0].ceil().max(0.0) as usize).min(self.width));
        let (y0, y1) = (low[1].floor() as usize, (high[1].ceil().max(0.0) as usize).min(self.height));
        for y in y0..y1 {
            for x in x0..x1 {
                let a = amount([x as f64 + 0.5, y as f64 + 0.5]).clamp(0.0, 1.0);
                if a > 0.0 {
                    let i = 4 * (y * self.width + x);
                    for (byte, c) in self.rgba[i..i + 3].iter_mut().zip([colour.r, colour.g, colour.b]) {
                        *byte = (f64::from(*byte) + (f64::from(c) - f64::from(*byte)) * a).round() as u8;
                    }
                }
            }
        }
    }

    fn paste(&mut self, picture: &Self, x: usize, y: usize) {
        let columns = picture.width.min(self.width.saturating_sub(x));
        for row in 0..picture.height.min(self.height.saturating_sub(y)) {
            let to = 4 * ((y + row) * self.width + x);
            let from = 4 * row * picture.width;
            self.rgba[to..to + 4 * columns].copy_from_slice(&picture.rgba[from..from + 4 * columns]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_png_decodes_to_the_same_pixels() {
        let mut image = Image::new(17, 9, Colour::hex(0x12_3456));
        for (i, byte) in image.rgba.iter_mut().enumerate().filter(|(i, _)| i % 4 != 3) {
            *byte = (i * 37 % 251) as u8;
        }
        let bytes = image.to_png();
        let mut reader = png::Decoder::new(std::io::Cursor::new(&bytes)).read_info().unwrap();
        let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
        let info = reader.next_frame(&mut pixels).unwrap();
        assert_eq!((info.width, info.height), (17, 9));
        let rgb: Vec<u8> = image.rgba.chunks_exact(4).flat_map(|p| p[..3].to_vec()).collect();
        assert_eq!(pixels, rgb);
    }

    #[test]
    fn pictures_stand_beside_and_below_one_another() {
        let red = Image::new(3, 2, Colour::hex(0xff_0000));
        let blue = Image::new(2, 3, Colour::hex(0x00_00ff));
        let row = Image::beside(&[red.clone(), blue.clone()]);
        assert_eq!((row.width, row.height), (5, 3));
        assert_eq!((row.at(0, 0), row.at(3, 2)), (red.at(0, 0), blue.at(0, 0)));
        let column = Image::stacked(&[red.clone(), blue.clone()]);
        assert_eq!((column.width, column.height), (3, 5));
        assert_eq!((column.at(2, 1), column.at(1, 2)), (red.at(0, 0), blue.at(0, 0)));
        assert_eq!(Image::beside(&[]).rgba.len(), 4);
        let sheet = Image::sheet(&[red.clone(), blue.clone(), red], 2);
        assert_eq!((sheet.width, sheet.height, sheet.at(3, 0)), (6, 6, blue.at(0, 0)));
    }
}

// PNG pictures as pixels, decoded by the browser that is there anyway.

/** Runs `look` with the pixels of some pictures on an empty page. */
async function decoded(browser, pictures, look) {
  const page = await browser.newPage();
  try {
    const packed = pictures.map((png) => png.toString("base64"));
    await page.evaluate(async (packed) => {
      globalThis.pictures = await Promise.all(
        packed.map(async (base64) => {
          const bytes = Uint8Array.from(atob(base64), (c) => c.charCodeAt(0));
          const bitmap = await createImageBitmap(new Blob([bytes], { type: "image/png" }));
          const pen = new OffscreenCanvas(bitmap.width, bitmap.height).getContext("2d");
          pen.drawImage(bitmap, 0, 0);
          return { width: bitmap.width, height: bitmap.height, data: pen.getImageData(0, 0, bitmap.width, bitmap.height).data };
        }),
      );
    }, packed);
    return await page.evaluate(look);
  } finally {
    await page.close();
  }
}

/** Size of a picture and how many colours it has. */
export const pixels = (browser, png) =>
  decoded(browser, [png], () => {
    const [{ width, height, data }] = globalThis.pictures;
    const colours = new Set(new Uint32Array(data.buffer));
    return { width, height, colours: colours.size };
  });

/** How two pictures of one size differ: the mean over all channels, and the share of pixels where one differs by more than 24 of 255. */
export const difference = (browser, a, b) =>
  decoded(browser, [a, b], () => {
    const [one, two] = globalThis.pictures;
    if (one.width !== two.width || one.height !== two.height) return { mean: 255, share: 1 };
    let [sum, far] = [0, 0];
    for (let i = 0; i < one.data.length; i += 4) {
      const apart = [0, 1, 2].map((k) => Math.abs(one.data[i + k] - two.data[i + k]));
      sum += apart[0] + apart[1] + apart[2];
      if (Math.max(...apart) > 24) far += 1;
    }
    const count = one.width * one.height;
    return { mean: sum / (3 * count), share: far / count };
  });

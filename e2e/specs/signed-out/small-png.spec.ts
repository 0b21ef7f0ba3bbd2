// SPDX-License-Identifier: MIT
// The committed pictures are smaller than what the browser wrote, and nobody can tell them from it.
import { isSmall, readPng, smallPng } from '../../appearance/small-png.ts'
import { expect, test } from '../../fixtures/index.ts'

/** Thousands of colours: more than a palette has. */
const COLOURFUL = `<body style="margin: 0">
  <div style="width: 600px; height: 300px; background: linear-gradient(90deg, red, lime, blue)"></div>
  <p style="font: 20px 'DejaVu Sans'">Some words</p>`
/** Of each of red, green and blue. */
const NOT_TOLD_APART = 24

/** In the page: what it sees of a picture, as red, green, blue and alpha. */
async function seen(url: string): Promise<number[]> {
  const bitmap = await createImageBitmap(await (await fetch(url)).blob())
  const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
  context?.drawImage(bitmap, 0, 0)
  return [...(context?.getImageData(0, 0, bitmap.width, bitmap.height).data ?? [])]
}

for (const [what, content] of [
  ['few colours, which stay', '<p style="font-size: 40px">Two</p>'],
  ['more colours than a palette has', COLOURFUL],
] as const) {
  test(`a small picture is what was seen: ${what}`, async ({ page }) => {
    await page.setViewportSize({ width: 640, height: 400 })
    await page.setContent(content)
    const png = await page.screenshot()
    const small = smallPng(png)
    expect(isSmall(png)).toBe(false)
    expect(isSmall(small)).toBe(true)
    const { width, height, pixels } = readPng(png)
    expect([width, height]).toEqual([640, 400])
    const read = await page.evaluate(seen, `data:image/png;base64,${small.toString('base64')}`)
    expect(read).toHaveLength(4 * pixels.length)
    let most = 0
    for (const [i, colour] of pixels.entries()) {
      for (const [part, by] of [16, 8, 0].entries()) {
        most = Math.max(most, Math.abs((read[4 * i + part] ?? 0) - ((colour >> by) & 255)))
      }
    }
    expect(most).toBeLessThanOrEqual(content === COLOURFUL ? NOT_TOLD_APART : 0)
  })
}

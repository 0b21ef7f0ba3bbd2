// SPDX-License-Identifier: MIT
// The committed pictures are smaller than what the browser wrote, and nobody can tell them from it.
import { isSmall, smallPng } from '../../appearance/small-png.ts'
import { expect, test } from '../../fixtures/index.ts'

/** Thousands of colours: more than a palette has. */
const COLOURFUL = `<body style="margin: 0">
  <div style="width: 600px; height: 300px; background: linear-gradient(90deg, red, lime, blue)"></div>
  <p style="font: 20px 'DejaVu Sans'">Some words</p>`
/** Of each of red, green and blue. */
const NOT_TOLD_APART = 24

/** In the page: its size, and by how much one of red, green, blue and alpha is another in the second picture, at most. */
async function compared([first = '', second = '']: string[]) {
  const [one, other] = await Promise.all([first, second].map(seen))
  if (one?.data.length !== other?.data.length) throw new Error('they differ in size')
  let most = 0
  for (const [i, value] of one?.data.entries() ?? []) {
    most = Math.max(most, Math.abs(value - (other?.data[i] ?? 0)))
  }
  return { width: one?.width, height: one?.height, most }

  async function seen(png: string) {
    const bitmap = await createImageBitmap(
      await (await fetch(`data:image/png;base64,${png}`)).blob(),
    )
    const context = new OffscreenCanvas(bitmap.width, bitmap.height).getContext('2d')
    context?.drawImage(bitmap, 0, 0)
    return context?.getImageData(0, 0, bitmap.width, bitmap.height)
  }
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
    const { width, height, most } = await page.evaluate(
      compared,
      [png, small].map((picture) => picture.toString('base64')),
    )
    expect([width, height]).toEqual([640, 400])
    expect(most).toBeLessThanOrEqual(content === COLOURFUL ? NOT_TOLD_APART : 0)
  })
}

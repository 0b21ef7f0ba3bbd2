// SPDX-License-Identifier: MIT
// A chart as a file on the reader's machine.
import { cssColour } from '../../lib/css-colour.ts'
import { saveFile } from '../../lib/save-file.ts'

/** Of any script: a title in Chinese is a name as well. */
export const slug = (text: string) =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-|-$/g, '')

/** `label`: of which its name is made. */
export function saveAs(label: string, ending: 'csv' | 'png', content: Blob): void {
  saveFile(`${slug(label)}.${ending}`, content)
}

/** `colour`: of the palette, as "--fs-series-1". */
export type Legend = readonly { name: string; colour: string }[]
export type Picture = { label: string; help: string; legend: Legend }

const MARGIN = 16
const LINE = 20

/** The drawing with its title and what its colours mean, so that it can stand alone. */
export function savePng(drawing: HTMLCanvasElement, { label, help, legend }: Picture): void {
  const scale = window.devicePixelRatio
  const width = drawing.width / scale
  const head = MARGIN + LINE * (legend.length > 0 ? 3 : 2)
  const canvas = document.createElement('canvas')
  canvas.width = (width + 2 * MARGIN) * scale
  canvas.height = (head + drawing.height / scale + MARGIN) * scale
  const context = canvas.getContext('2d')
  if (context === null) return
  const font = getComputedStyle(document.body).fontFamily
  context.scale(scale, scale)
  context.textBaseline = 'middle'
  context.fillStyle = cssColour('--fs-surface')
  context.fillRect(0, 0, canvas.width, canvas.height)
  const write = (text: string, x: number, line: number, colour: string, weight = 400) => {
    context.font = `${weight} 13px ${font}`
    context.fillStyle = cssColour(colour)
    context.fillText(text, x, MARGIN + (line + 0.5) * LINE)
    return x + context.measureText(text).width
  }
  write(label, MARGIN, 0, '--fs-text', 600)
  write(help, MARGIN, 1, '--fs-dim')
  let x = MARGIN
  for (const { name, colour } of legend) {
    x = write('■ ', x, 2, colour)
    x = write(name, x, 2, '--fs-text') + MARGIN
  }
  context.drawImage(drawing, MARGIN, head, width, drawing.height / scale)
  canvas.toBlob((png) => png !== null && saveAs(label, 'png', png))
}

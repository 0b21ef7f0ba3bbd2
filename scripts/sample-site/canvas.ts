// SPDX-License-Identifier: MIT
// A small canvas: colours as linear numbers, shapes as signed distances with smooth edges.

export type Colour = readonly [number, number, number]
export type Point = readonly [number, number]

export const hex = (text: string): Colour => [
  Number.parseInt(text.slice(1, 3), 16) / 255,
  Number.parseInt(text.slice(3, 5), 16) / 255,
  Number.parseInt(text.slice(5, 7), 16) / 255,
]

export const mix = (a: Colour, b: Colour, t: number): Colour => [
  a[0] + (b[0] - a[0]) * t,
  a[1] + (b[1] - a[1]) * t,
  a[2] + (b[2] - a[2]) * t,
]

export const clamp01 = (value: number) => Math.min(1, Math.max(0, value))

export const smoothstep = (from: number, to: number, value: number) => {
  const t = clamp01((value - from) / (to - from))
  return t * t * (3 - 2 * t)
}

export class Canvas {
  readonly width: number
  readonly height: number
  readonly #pixels: Float32Array

  constructor(width: number, height: number) {
    this.width = width
    this.height = height
    this.#pixels = new Float32Array(width * height * 3)
  }

  /** Lays `colour` over the pixel; alpha 1 covers it. */
  blend(x: number, y: number, colour: Colour, alpha: number): void {
    if (alpha <= 0 || x < 0 || y < 0 || x >= this.width || y >= this.height) return
    const at = (y * this.width + x) * 3
    for (let channel = 0; channel < 3; channel++) {
      const old = this.#pixels[at + channel] ?? 0
      this.#pixels[at + channel] = old + ((colour[channel] ?? 0) - old) * alpha
    }
  }

  /** Adds light, as a glow does. */
  glow(x: number, y: number, colour: Colour, strength: number): void {
    const at = (y * this.width + x) * 3
    for (let channel = 0; channel < 3; channel++) {
      const old = this.#pixels[at + channel] ?? 0
      this.#pixels[at + channel] = 1 - (1 - old) * (1 - (colour[channel] ?? 0) * strength)
    }
  }

  /** Fills where `distance` (pixels, negative inside) says so, within a box around the shape. */
  fill(
    box: { left: number; top: number; right: number; bottom: number },
    distance: (x: number, y: number) => number,
    colour: Colour | ((x: number, y: number) => Colour),
    opacity = 1,
  ): void {
    const top = Math.max(0, Math.floor(box.top - 1))
    const bottom = Math.min(this.height - 1, Math.ceil(box.bottom + 1))
    const left = Math.max(0, Math.floor(box.left - 1))
    const right = Math.min(this.width - 1, Math.ceil(box.right + 1))
    for (let y = top; y <= bottom; y++) {
      for (let x = left; x <= right; x++) {
        const coverage = clamp01(0.5 - distance(x + 0.5, y + 0.5))
        if (coverage === 0) continue
        this.blend(x, y, typeof colour === 'function' ? colour(x, y) : colour, coverage * opacity)
      }
    }
  }

  ellipse(
    x: number,
    y: number,
    rx: number,
    ry: number,
    colour: Parameters<Canvas['fill']>[2],
    opacity = 1,
  ) {
    const box = { left: x - rx, right: x + rx, top: y - ry, bottom: y + ry }
    const distance = (px: number, py: number) =>
      (Math.hypot((px - x) / rx, (py - y) / ry) - 1) * Math.min(rx, ry)
    this.fill(box, distance, colour, opacity)
  }

  polygon(points: readonly Point[], colour: Parameters<Canvas['fill']>[2]): void {
    const xs = points.map(([x]) => x)
    const ys = points.map(([, y]) => y)
    const box = {
      left: Math.min(...xs),
      right: Math.max(...xs),
      top: Math.min(...ys),
      bottom: Math.max(...ys),
    }
    this.fill(box, (x, y) => polygonDistance(points, x, y), colour)
  }

  line(from: Point, to: Point, width: number, colour: Colour, opacity = 1): void {
    const half = width / 2
    const box = {
      left: Math.min(from[0], to[0]) - half,
      right: Math.max(from[0], to[0]) + half,
      top: Math.min(from[1], to[1]) - half,
      bottom: Math.max(from[1], to[1]) + half,
    }
    this.fill(box, (x, y) => segmentDistance(from, to, x, y) - half, colour, opacity)
  }

  /** 8-bit RGB, each pixel the mean of `shrink` × `shrink` of ours. */
  toRgb(shrink = 1): { width: number; height: number; rgb: Uint8Array } {
    const width = Math.floor(this.width / shrink)
    const height = Math.floor(this.height / shrink)
    const rgb = new Uint8Array(width * height * 3)
    for (let y = 0; y < height; y++) {
      for (let x = 0; x < width; x++) {
        for (let channel = 0; channel < 3; channel++) {
          const mean = this.#mean(x * shrink, y * shrink, shrink, channel)
          rgb[(y * width + x) * 3 + channel] = Math.round(clamp01(mean) * 255)
        }
      }
    }
    return { width, height, rgb }
  }

  #mean(left: number, top: number, size: number, channel: number): number {
    let sum = 0
    for (let y = top; y < top + size; y++) {
      for (let x = left; x < left + size; x++) {
        sum += this.#pixels[(y * this.width + x) * 3 + channel] ?? 0
      }
    }
    return sum / (size * size)
  }
}

function segmentDistance([ax, ay]: Point, [bx, by]: Point, x: number, y: number): number {
  const dx = bx - ax
  const dy = by - ay
  const t = clamp01(((x - ax) * dx + (y - ay) * dy) / (dx * dx + dy * dy || 1))
  return Math.hypot(x - ax - dx * t, y - ay - dy * t)
}

function polygonDistance(points: readonly Point[], x: number, y: number): number {
  let nearest = Number.POSITIVE_INFINITY
  let inside = false
  points.forEach((point, index) => {
    const next = points[(index + 1) % points.length] ?? point
    nearest = Math.min(nearest, segmentDistance(point, next, x, y))
    const crosses = point[1] > y !== next[1] > y
    const at = ((next[0] - point[0]) * (y - point[1])) / (next[1] - point[1]) + point[0]
    if (crosses && x < at) inside = !inside
  })
  return inside ? -nearest : nearest
}

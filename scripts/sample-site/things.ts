// SPDX-License-Identifier: MIT
// What stands in the landscapes: trees, a farmhouse with its barn, a windmill, a fence, birds.
import { type Canvas, type Colour, hex, mix, type Point } from './canvas.ts'
import type { Light } from './landscape.ts'

export type TreeKind = 'round' | 'poplar' | 'conifer' | 'bare' | 'blossom'

/** A tree whose foot is at (x, y). */
export function paintTree(
  canvas: Canvas,
  kind: TreeKind,
  x: number,
  y: number,
  height: number,
  colour: Colour,
  light: Light,
  random: () => number,
): void {
  const trunk = mix(colour, [0.12, 0.08, 0.07], 0.6)
  canvas.line([x, y], [x, y - height * 0.5], Math.max(1.2, height * 0.07), trunk)
  const lit = mix(colour, light.sun, 0.22 * light.brightness)
  if (kind === 'poplar') {
    canvas.ellipse(x, y - height * 0.75, height * 0.17, height * 0.7, colour)
    canvas.ellipse(x - height * 0.04, y - height * 0.8, height * 0.08, height * 0.55, lit, 0.5)
  } else if (kind === 'conifer') {
    for (let tier = 0; tier < 3; tier++) {
      const foot = y - height * (0.12 + 0.3 * tier)
      const half = height * (0.34 - 0.08 * tier)
      canvas.polygon(
        [
          [x - half, foot],
          [x + half, foot],
          [x, foot - height * 0.5],
        ],
        mix(colour, lit, tier * 0.3),
      )
      canvas.polygon(
        [
          [x - half * 0.45, foot - height * 0.3],
          [x + half * 0.4, foot - height * 0.32],
          [x, foot - height * 0.5],
        ],
        mix([0.95, 0.97, 1], light.haze, 0.35 * (1 - light.brightness) + 0.15),
      )
    }
  } else if (kind === 'bare') {
    branch(
      canvas,
      [x, y - height * 0.3],
      -Math.PI / 2,
      height * 0.32,
      Math.max(1, height * 0.05),
      trunk,
      random,
      4,
    )
  } else {
    const crown =
      kind === 'blossom'
        ? mix(colour, hex('#f7d9e3'), 0.8 * (0.3 + 0.7 * light.brightness))
        : colour
    const bright = mix(crown, light.sun, 0.25 * light.brightness)
    for (let puff = 0; puff < 6; puff++) {
      const px = x + (random() - 0.5) * height * 0.5
      const py = y - height * (0.5 + 0.35 * random())
      const radius = height * (0.16 + 0.12 * random())
      canvas.ellipse(px, py, radius * 1.1, radius, crown)
      canvas.ellipse(px - radius * 0.2, py - radius * 0.3, radius * 0.6, radius * 0.5, bright, 0.45)
    }
  }
}

function branch(
  canvas: Canvas,
  from: Point,
  angle: number,
  length: number,
  width: number,
  colour: Colour,
  random: () => number,
  depth: number,
): void {
  const to: Point = [from[0] + Math.cos(angle) * length, from[1] + Math.sin(angle) * length]
  canvas.line(from, to, width, colour)
  if (depth === 0) return
  for (const side of [-1, 1]) {
    const turn = angle + side * (0.3 + 0.35 * random())
    branch(canvas, to, turn, length * 0.72, Math.max(0.7, width * 0.65), colour, random, depth - 1)
  }
}

export type BuildingLook = { isLit: boolean; isSnowy: boolean; turn: number }
type Dim = (colour: Colour) => Colour

const roofColour = (dim: Dim, look: BuildingLook) => dim(hex(look.isSnowy ? '#f1f5f9' : '#8b3f33'))

const windowColour = (dim: Dim, look: BuildingLook): Colour =>
  look.isLit ? hex('#ffd777') : dim(hex('#45525e'))

/** A house with a lower barn beside it, both with gables to the viewer. */
export function paintFarm(
  canvas: Canvas,
  x: number,
  y: number,
  size: number,
  dim: Dim,
  look: BuildingLook,
): void {
  const wall = dim(hex('#f1e7d6'))
  const shade = dim(hex('#cdbfa9'))
  const roof = roofColour(dim, look)
  const barn = dim(hex('#a3412f'))
  const s = size
  canvas.polygon(
    [
      [x - 1.5 * s, y],
      [x - 1.5 * s, y - 0.5 * s],
      [x - 1.05 * s, y - 0.85 * s],
      [x - 0.6 * s, y - 0.5 * s],
      [x - 0.6 * s, y],
    ],
    barn,
  )
  canvas.polygon(
    [
      [x - 1.58 * s, y - 0.47 * s],
      [x - 1.05 * s, y - 0.92 * s],
      [x - 0.52 * s, y - 0.47 * s],
      [x - 0.6 * s, y - 0.46 * s],
      [x - 1.05 * s, y - 0.82 * s],
      [x - 1.5 * s, y - 0.46 * s],
    ],
    roof,
  )
  canvas.polygon(
    [
      [x - 1.22 * s, y],
      [x - 1.22 * s, y - 0.34 * s],
      [x - 0.88 * s, y - 0.34 * s],
      [x - 0.88 * s, y],
    ],
    dim(hex('#5d2219')),
  )
  canvas.polygon(
    [
      [x - 0.45 * s, y],
      [x - 0.45 * s, y - 0.62 * s],
      [x + 0.75 * s, y - 0.62 * s],
      [x + 0.75 * s, y],
    ],
    wall,
  )
  canvas.polygon(
    [
      [x + 0.35 * s, y],
      [x + 0.35 * s, y - 0.62 * s],
      [x + 0.75 * s, y - 0.62 * s],
      [x + 0.75 * s, y],
    ],
    shade,
  )
  canvas.polygon(
    [
      [x + 0.5 * s, y - 0.95 * s],
      [x + 0.5 * s, y - 1.22 * s],
      [x + 0.62 * s, y - 1.22 * s],
      [x + 0.62 * s, y - 0.95 * s],
    ],
    shade,
  )
  canvas.polygon(
    [
      [x - 0.55 * s, y - 0.58 * s],
      [x - 0.3 * s, y - 1.08 * s],
      [x + 0.6 * s, y - 1.08 * s],
      [x + 0.85 * s, y - 0.58 * s],
    ],
    roof,
  )
  for (const left of [-0.3, 0.05, 0.48]) {
    canvas.polygon(
      [
        [x + left * s, y - 0.22 * s],
        [x + left * s, y - 0.44 * s],
        [x + (left + 0.15) * s, y - 0.44 * s],
        [x + (left + 0.15) * s, y - 0.22 * s],
      ],
      windowColour(dim, look),
    )
  }
}

export function paintMill(
  canvas: Canvas,
  x: number,
  y: number,
  size: number,
  dim: Dim,
  look: BuildingLook,
): void {
  const s = size
  const wall = dim(hex('#efe6d5'))
  const shade = dim(hex('#c9baa2'))
  const cap = roofColour(dim, look)
  canvas.polygon(
    [
      [x - 0.45 * s, y],
      [x - 0.28 * s, y - 1.3 * s],
      [x + 0.28 * s, y - 1.3 * s],
      [x + 0.45 * s, y],
    ],
    wall,
  )
  canvas.polygon(
    [
      [x + 0.1 * s, y],
      [x + 0.1 * s, y - 1.3 * s],
      [x + 0.28 * s, y - 1.3 * s],
      [x + 0.45 * s, y],
    ],
    shade,
  )
  canvas.polygon(
    [
      [x - 0.34 * s, y - 1.28 * s],
      [x - 0.2 * s, y - 1.55 * s],
      [x, y - 1.64 * s],
      [x + 0.2 * s, y - 1.55 * s],
      [x + 0.34 * s, y - 1.28 * s],
    ],
    cap,
  )
  for (const up of [0.35, 0.85]) {
    canvas.polygon(
      [
        [x - 0.08 * s, y - up * s],
        [x - 0.08 * s, y - (up + 0.2) * s],
        [x + 0.06 * s, y - (up + 0.2) * s],
        [x + 0.06 * s, y - up * s],
      ],
      windowColour(dim, look),
    )
  }
  const hub: Point = [x - 0.02 * s, y - 1.38 * s]
  const wood = dim(hex('#5b4636'))
  const cloth = mix(wood, dim(hex('#f4ead6')), 0.8)
  for (let sail = 0; sail < 4; sail++) {
    const angle = look.turn + (sail * Math.PI) / 2
    const [cos, sin] = [Math.cos(angle), Math.sin(angle)]
    const at = (along: number, aside: number): Point => [
      hub[0] + (cos * along - sin * aside) * s,
      hub[1] + (sin * along + cos * aside) * s,
    ]
    canvas.polygon([at(0.25, 0.02), at(1.15, 0.02), at(1.15, 0.2), at(0.25, 0.2)], cloth)
    canvas.line(hub, at(1.18, 0), Math.max(1.2, 0.05 * s), wood)
  }
  canvas.ellipse(hub[0], hub[1], 0.07 * s, 0.07 * s, wood)
}

export function paintFence(
  canvas: Canvas,
  groundAt: (x: number) => number,
  wood: Colour,
  isSnowy: boolean,
): void {
  const gap = 74
  for (let x = -gap / 2; x < canvas.width + gap; x += gap) {
    const y = groundAt(x) + 10
    const nextY = groundAt(x + gap) + 10
    for (const rail of [21, 35]) canvas.line([x, y - rail], [x + gap, nextY - rail], 3.6, wood)
    canvas.polygon(
      [
        [x - 4, y],
        [x - 4, y - 46],
        [x, y - 51],
        [x + 4, y - 46],
        [x + 4, y],
      ],
      mix(wood, [0, 0, 0], 0.15),
    )
    if (isSnowy) canvas.ellipse(x, y - 50, 6.5, 3.6, [0.96, 0.98, 1])
  }
}

export function paintBirds(canvas: Canvas, random: () => number, light: Light): void {
  const flock = 3 + Math.floor(random() * 7)
  const [cx, cy] = [canvas.width * (0.2 + 0.6 * random()), canvas.height * (0.15 + 0.2 * random())]
  const ink = mix(light.zenith, [0.05, 0.05, 0.08], 0.75)
  for (let bird = 0; bird < flock; bird++) {
    const x = cx + (random() - 0.5) * 220
    const y = cy + (random() - 0.5) * 90
    const span = 5 + random() * 7
    const lift = span * (0.25 + 0.4 * random())
    canvas.line([x, y], [x - span, y - lift], 1.7, ink, 0.85)
    canvas.line([x, y], [x + span, y - lift], 1.7, ink, 0.85)
  }
}

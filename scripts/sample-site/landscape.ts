// SPDX-License-Identifier: MIT
// Paints one farm landscape: sky, clouds, ridges from far to near, fields, trees, a house or a mill.
// Painter's order: what is nearer is painted later.
import { Canvas, type Colour, clamp01, hex, mix, smoothstep } from './canvas.ts'
import { type Hour, type Picture, type Season, seedOf } from './catalogue.ts'
import { fractal2, hash2, noise2, randomStream } from './noise.ts'
import { paintBirds, paintFarm, paintFence, paintMill, paintTree, type TreeKind } from './things.ts'

export const WIDTH = 800
export const HEIGHT = 500
const LAYERS = 6
const HOUSE_CLEARANCE = 85
/** Snow gives back the light that grass swallows. */
const SNOW_LIGHT = 0.16

export type Light = {
  zenith: Colour
  middle: Colour
  horizon: Colour
  sun: Colour
  cloud: Colour
  /** What far things fade into. */
  haze: Colour
  /** 0 … 1: how bright the ground is. */
  brightness: number
  sunHeight: number
}

const lights: Record<Hour, Light> = {
  dawn: {
    zenith: hex('#5b7fb5'),
    middle: hex('#e8b7ae'),
    horizon: hex('#fbe3bd'),
    sun: hex('#fff3d6'),
    cloud: hex('#f6c3b1'),
    haze: hex('#efc9b6'),
    brightness: 0.72,
    sunHeight: 0.43,
  },
  morning: {
    zenith: hex('#4f97cf'),
    middle: hex('#9fcce6'),
    horizon: hex('#f3efd9'),
    sun: hex('#fffbe8'),
    cloud: hex('#ffffff'),
    haze: hex('#d3e2e2'),
    brightness: 0.95,
    sunHeight: 0.25,
  },
  noon: {
    zenith: hex('#2f7fc4'),
    middle: hex('#74b4e0'),
    horizon: hex('#d9ecf0'),
    sun: hex('#ffffff'),
    cloud: hex('#ffffff'),
    haze: hex('#b9d6e0'),
    brightness: 1,
    sunHeight: 0.12,
  },
  golden: {
    zenith: hex('#6d8fb8'),
    middle: hex('#f0c27f'),
    horizon: hex('#ffdf94'),
    sun: hex('#fff2c4'),
    cloud: hex('#ffd9a0'),
    haze: hex('#f3c583'),
    brightness: 0.88,
    sunHeight: 0.38,
  },
  dusk: {
    zenith: hex('#2c2f5e'),
    middle: hex('#96538a'),
    horizon: hex('#f59a6b'),
    sun: hex('#ffd28f'),
    cloud: hex('#c4658a'),
    haze: hex('#b56f86'),
    brightness: 0.48,
    sunHeight: 0.47,
  },
  night: {
    zenith: hex('#0a1230'),
    middle: hex('#182a55'),
    horizon: hex('#3c5684'),
    sun: hex('#f2f0dc'),
    cloud: hex('#2c3f6d'),
    haze: hex('#2d4471'),
    brightness: 0.27,
    sunHeight: 0.2,
  },
}

type Ground = { far: Colour; hill: Colour; fields: Colour[]; tree: Colour; trees: TreeKind[] }

const grounds: Record<Season, Ground> = {
  spring: {
    far: hex('#5d8494'),
    hill: hex('#6aa060'),
    fields: ['#8fc25b', '#79b356', '#b7d66b', '#6a9f4e', '#e3dc76'].map(hex),
    tree: hex('#4b8a4a'),
    trees: ['round', 'poplar', 'blossom'],
  },
  summer: {
    far: hex('#5a7f8f'),
    hill: hex('#5d8f4c'),
    fields: ['#e2c45d', '#d3ae4a', '#93b04f', '#7d6bb5', '#eed88a'].map(hex),
    tree: hex('#3a6e3d'),
    trees: ['round', 'poplar', 'round'],
  },
  autumn: {
    far: hex('#6f7387'),
    hill: hex('#a1743e'),
    fields: ['#b98242', '#8a5a3a', '#cf9d55', '#7c6a3c', '#a8612f'].map(hex),
    tree: hex('#b5552c'),
    trees: ['round', 'round', 'poplar'],
  },
  winter: {
    far: hex('#8196b0'),
    hill: hex('#c3d0de'),
    fields: ['#eef3f8', '#dfe8f1', '#e6eef5', '#d3dfea', '#f6f9fb'].map(hex),
    tree: hex('#4f6472'),
    trees: ['conifer', 'bare', 'conifer'],
  },
}

const dim = (colour: Colour, light: Light): Colour => {
  const shade = mix(light.zenith, colour, 0.55 + 0.45 * light.brightness)
  return mix([0, 0, 0], shade, 0.35 + 0.65 * light.brightness)
}

type Scene = {
  canvas: Canvas
  picture: Picture
  seed: number
  random: () => number
  light: Light
  ground: Ground
  sunX: number
  /** Where the house or mill stands; no tree hides it. */
  house: { layer: number; x: number }
}

function paintSky({ canvas, light, seed, sunX, picture }: Scene): void {
  const horizonY = HEIGHT * 0.62
  const sunY = HEIGHT * light.sunHeight
  const isNight = picture.hour === 'night'
  const disc = isNight ? 24 : picture.hour === 'noon' ? 21 : 29
  const cover = 0.4 + 0.25 * hash2(1, 7, seed)
  for (let y = 0; y < HEIGHT; y++) {
    const t = clamp01(y / horizonY)
    const row =
      t < 0.55
        ? mix(light.zenith, light.middle, smoothstep(0, 0.55, t))
        : mix(light.middle, light.horizon, smoothstep(0.55, 1, t))
    for (let x = 0; x < WIDTH; x++) {
      canvas.blend(x, y, row, 1)
      const away = Math.hypot(x - sunX, y - sunY)
      canvas.glow(x, y, light.sun, 0.5 * Math.exp(-away / (isNight ? 56 : 150)))
      canvas.blend(x, y, light.sun, clamp01(disc - away + 0.5))
      const billow = fractal2((x / WIDTH) * 5, (y / HEIGHT) * 11, seed + 40, 4)
      const wisp = smoothstep(1 - cover, 1 - cover + 0.3, billow) * (1 - smoothstep(0.5, 1, t))
      canvas.blend(x, y, light.cloud, wisp * (isNight ? 0.5 : 0.8))
    }
  }
}

function paintStars({ canvas, random }: Scene): void {
  for (let i = 0; i < 260; i++) {
    const y = random() ** 1.5 * HEIGHT * 0.5
    canvas.ellipse(
      random() * WIDTH,
      y,
      0.7 + random(),
      0.7 + random(),
      [1, 1, 0.95],
      0.3 + 0.7 * random(),
    )
  }
}

/** The height of a ridge at x: nearer ones are lower on the picture and gentler. */
function ridge(seed: number, layer: number, x: number): number {
  const depth = layer / (LAYERS - 1)
  const base = HEIGHT * (0.5 + 0.36 * depth ** 1.25)
  const rough = layer < 2 ? 5 : 2
  const height = HEIGHT * (layer < 2 ? 0.2 - 0.05 * layer : 0.11)
  const frequency = layer < 2 ? 3.1 : 1.6
  return (
    base -
    height * (fractal2((x / WIDTH) * frequency + layer * 17, layer, seed + layer, rough) - 0.4)
  )
}

/** Patches with furrows that run to a vanishing point, as a ploughed plain looks from a hill. */
function fieldColour(
  { ground, seed }: Scene,
  layer: number,
  x: number,
  y: number,
  top: number,
): Colour {
  const below = y - top + 18
  const distance = 1730 / below
  const across = ((x - WIDTH * (0.25 + 0.5 * hash2(layer, 3, seed))) / below) * 1.6
  const lean = across + noise2(distance * 0.15, layer, seed) * 1.2
  const column = Math.floor(lean / 1.7)
  const row = Math.floor(Math.log2(distance + 1) * 1.4 + hash2(column, layer, seed) * 2)
  const pick = hash2(column, row, seed + layer)
  const colour = ground.fields[Math.floor(pick * ground.fields.length)] ?? ground.hill
  const furrows = Math.sin(lean * (20 + 14 * pick))
  const fade = smoothstep(60, 12, distance)
  return mix(colour, furrows > 0 ? [1, 1, 0.9] : [0.15, 0.1, 0.05], Math.abs(furrows) * 0.13 * fade)
}

function groundColour(scene: Scene, layer: number, x: number, y: number, top: number): Colour {
  const { light, ground } = scene
  const nearness = layer / (LAYERS - 1)
  const base =
    layer < 2
      ? mix(ground.far, ground.hill, layer * 0.35)
      : layer === 2
        ? ground.hill
        : fieldColour(scene, layer, x, y, top)
  const lit = dim(base, light)
  const sunSide = 0.12 * Math.exp(-Math.abs(x - scene.sunX) / 340)
  const warm = mix(lit, light.sun, sunSide * light.brightness)
  // Far ridges fade into the air; mist gathers at the foot of each.
  const mist = smoothstep(0, HEIGHT * 0.2, y - top) * (0.5 - 0.42 * nearness)
  return mix(warm, light.haze, clamp01(0.62 * (1 - nearness) ** 1.4 + mist))
}

function paintLayer(scene: Scene, layer: number): void {
  const { canvas, seed } = scene
  for (let x = 0; x < WIDTH; x++) {
    const top = ridge(seed, layer, x)
    for (let y = Math.max(0, Math.floor(top)); y < HEIGHT; y++) {
      canvas.blend(x, y, groundColour(scene, layer, x, y, top), clamp01(y - top + 1))
    }
  }
}

function plantTrees(scene: Scene, layer: number): void {
  const { canvas, seed, random, ground, light, house } = scene
  const nearness = layer / (LAYERS - 1)
  const size = 6 + 53 * nearness ** 2.2
  const groves = 2 + Math.floor(random() * 3)
  for (let grove = 0; grove < groves; grove++) {
    const kind = ground.trees[Math.floor(random() * ground.trees.length)] ?? 'round'
    const centre = random() * WIDTH
    const count = kind === 'poplar' ? 6 : 3 + Math.floor(random() * 6)
    for (let i = 0; i < count; i++) {
      const spread = kind === 'poplar' ? i * size * 0.55 : (random() - 0.5) * size * 7
      const x = centre + spread
      if (layer === house.layer && Math.abs(x - house.x) < HOUSE_CLEARANCE) continue
      const tall = size * (0.75 + 0.5 * random())
      const colour = mix(dim(ground.tree, light), light.haze, 0.5 * (1 - nearness) ** 1.2)
      paintTree(canvas, kind, x, ridge(seed, layer, x) + size * 0.08, tall, colour, light, random)
    }
  }
}

function paintSnow({ canvas, random }: Scene): void {
  for (let i = 0; i < 240; i++) {
    const radius = 0.8 + 2.2 * random() ** 3
    canvas.ellipse(random() * WIDTH, random() * HEIGHT, radius, radius, [1, 1, 1], 0.75)
  }
}

function build(scene: Scene): void {
  const { canvas, seed, random, light, picture } = scene
  const { layer, x } = scene.house
  const nearness = layer / (LAYERS - 1)
  const size = 21 + 59 * nearness ** 2
  const hasLight = picture.hour === 'dusk' || picture.hour === 'night' || picture.hour === 'dawn'
  const paint = /mill/i.test(picture.title) || hash2(5, 5, seed) > 0.72 ? paintMill : paintFarm
  paint(canvas, x, ridge(seed, layer, x) + size * 0.12, size, (colour) => dim(colour, light), {
    isLit: hasLight,
    isSnowy: picture.season === 'winter',
    turn: random() * Math.PI,
  })
}

export function paintLandscape(picture: Picture): Canvas {
  const seed = seedOf(picture)
  const random = randomStream(seed)
  const isWinter = picture.season === 'winter'
  const hourLight = lights[picture.hour]
  const brightness = Math.min(1, hourLight.brightness + (isWinter ? SNOW_LIGHT : 0))
  const light = { ...hourLight, brightness }
  const scene: Scene = {
    canvas: new Canvas(WIDTH, HEIGHT),
    picture,
    seed,
    random,
    light,
    ground: grounds[picture.season],
    sunX: WIDTH * (0.15 + 0.7 * random()),
    house: { layer: 3 + Math.floor(random() * 2), x: WIDTH * (0.2 + 0.6 * random()) },
  }
  paintSky(scene)
  if (picture.hour === 'night') paintStars(scene)
  else if (!isWinter) paintBirds(scene.canvas, random, light)
  for (let layer = 0; layer < LAYERS; layer++) {
    paintLayer(scene, layer)
    if (layer === scene.house.layer) build(scene)
    if (layer >= 2 && layer < LAYERS - 1) plantTrees(scene, layer)
  }
  const fenceAt = (x: number) => ridge(seed, LAYERS - 1, x)
  const wood = dim(hex('#7a5a43'), light)
  if (random() < 0.6) paintFence(scene.canvas, fenceAt, wood, isWinter)
  if (isWinter && random() < 0.6) paintSnow(scene)
  return scene.canvas
}

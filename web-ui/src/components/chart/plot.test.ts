// SPDX-License-Identifier: MIT
import type uPlot from 'uplot'
import { expect, test } from 'vitest'
import { alone, heights, plotOptions } from './plot.ts'

test('only values with a gap on both sides are drawn as points', () => {
  expect(alone([1, null, 2, null, 3, 4, null, undefined, 5])).toEqual([0, 2, 8])
  expect(alone([])).toEqual([])
})

test('parts of a whole are drawn on top of each other, and a gap is one where all have one', () => {
  const series = [
    { name: 'a', colour: 1 as const, values: [1, null, null] },
    { name: 'b', colour: 2 as const, values: [2, 3, null] },
  ]
  expect(heights(series, true)).toEqual([
    [1, 0, null],
    [3, 3, null],
  ])
  expect(heights(series, false)).toEqual([
    [1, null, null],
    [2, 3, null],
  ])
})

test('a hundred alerts of one time are one line, drawn once', () => {
  const strokes: number[][] = []
  let lines: number[] = []
  const nothing = () => {}
  const ctx = {
    ...{ save: nothing, restore: nothing, setLineDash: nothing, fill: nothing, rect: nothing },
    beginPath: () => {
      lines = []
    },
    moveTo: (x: number) => void lines.push(x),
    lineTo: nothing,
    stroke: () => void strokes.push(lines),
  }
  const marks = Array.from({ length: 100 }, (_, i) => ({
    ...{ atSeconds: i % 2, text: `node ${i} is silent`, kind: 'alert' as const },
  }))
  const props = { series: [], format: String }
  const hooks = { onCursor: nothing, onZoom: nothing, marks: () => marks }
  const [draw] = plotOptions(props, 100, hooks).hooks?.draw ?? []
  const plot = { ctx, bbox: { left: 0, top: 0, width: 100, height: 50 } }
  draw?.({ ...plot, valToPos: (seconds: number) => seconds * 10 } as unknown as uPlot)
  expect(strokes).toEqual([[0.5, 10.5]])
})

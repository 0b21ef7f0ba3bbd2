// SPDX-License-Identifier: MIT
import { MantineProvider } from '@mantine/core'
import { act, render } from '@testing-library/react'
import { expect, test, vi } from 'vitest'
import { TimeChart } from './time-chart.tsx'

const times = [0, 60, 120]
const seriesOf = (values: number[]) => [{ name: 'p50', values, colour: 1 as const }]

function charts(values: number[]) {
  const series = seriesOf(values)
  return (
    <MantineProvider>
      {['first', 'second', 'third'].map((label) => (
        <TimeChart key={label} label={label} times={times} series={series} format={String} />
      ))}
    </MantineProvider>
  )
}

test('each chart of a page is drawn in a frame of its own, and said to be on its way until then', () => {
  const asked: FrameRequestCallback[] = []
  vi.stubGlobal('requestAnimationFrame', (draw: FrameRequestCallback) => asked.push(draw))
  const frame = () => act(() => asked.splice(0).forEach((draw) => void draw(0)))
  const { container, rerender } = render(charts([1, 2, 3]))
  const drawn = () => container.querySelectorAll('.uplot').length
  const busy = () => container.querySelectorAll('[aria-busy="true"]').length
  const seen = [[drawn(), busy()]]
  for (let i = 0; i < 3; i++) {
    frame()
    seen.push([drawn(), busy()])
  }
  expect(seen).toEqual([
    [0, 3],
    [1, 2],
    [2, 1],
    [3, 0],
  ])
  // What stands stays where it is until the newer is drawn.
  const [first] = container.querySelectorAll('.uplot')
  rerender(charts([4, 5, 6]))
  frame()
  expect(container.querySelector('.uplot')).toBe(first)
  expect([drawn(), busy()]).toEqual([3, 0])
})

// SPDX-License-Identifier: MIT
import { describe, expect, it } from 'vitest'
import { createRenderer } from '../../../../src/features/configs/versions.ts'
import type { RenderTarget } from '../../../../src/labels/grouping.ts'

const own = (name: string): RenderTarget => ({
  group: { name: 'edge', mergePatch: {} },
  node: { name, labels: {}, mergePatch: { workers: name } },
})

describe('one version for many nodes', () => {
  it('is made anew for who was not asked about lately, when each has an override of its own', () => {
    const text = JSON.stringify({ workers: 'auto', comment: 'x'.repeat(512 * 1024) })
    const render = createRenderer(text)
    const first = render(own('edge-0'))
    expect(render(own('edge-0'))).toBe(first)
    for (let i = 1; i <= 20; i++) render(own(`edge-${i}`))
    const again = render(own('edge-0'))
    expect(again).not.toBe(first)
    expect(again.text).toBe(first.text)
    expect(again.text).toContain('"workers":"edge-0"')
  })

  it('is one result for all whose variables say the same', () => {
    const render = createRenderer('{ "workers": "auto" }')
    const [one, other] = ['edge-1', 'edge-2'].map((name) => ({
      group: { name: 'edge', mergePatch: { workers: 4 } },
      node: { name, labels: {}, mergePatch: {} },
    }))
    if (!one || !other) throw new Error('two targets')
    expect(render(one)).toBe(render(other))
  })
})

// SPDX-License-Identifier: MIT
import { render } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { inSentence, t } from './t.ts'
import { T } from './text.tsx'

describe('t', () => {
  it('says a message with what it is given, counted as the language counts', () => {
    const nodes = (count: number) =>
      t('{count, plural, one {# node} other {# nodes}} of {farm}', { count, farm: 'Hof' })
    expect([nodes(0), nodes(1), nodes(1200)]).toEqual([
      '0 nodes of Hof',
      '1 node of Hof',
      '1,200 nodes of Hof',
    ])
  })

  it('keeps apostrophes, and signs that are no part of its notation', () => {
    expect(t("It's {name}'s", { name: 'edge-1' })).toBe("It's edge-1's")
    expect(t("'{'x'}' {name}", { name: 'a < b' })).toBe('{x} a < b')
  })

  it('says nothing for what is not there', () => {
    expect(t('by {name}', { name: null })).toBe('by ')
  })

  it('takes a label into a sentence', () => {
    expect(inSentence('Awaiting approval')).toBe('awaiting approval')
    expect(inSentence('TLS handshake')).toBe('TLS handshake')
  })
})

describe('T', () => {
  it('puts elements where their names are, and around the words between their tags', () => {
    const { container } = render(
      <p>
        <T
          text="Read <guide>the guide of <b>{name}</b></guide>, {count, plural, one {# page} other {# pages}}."
          guide={<a href="/docs" />}
          b={<b />}
          name={<code>edge-1</code>}
          count={3}
        />
      </p>,
    )
    expect(container.innerHTML).toBe(
      '<p>Read <a href="/docs">the guide of <b><code>edge-1</code></b></a>, 3 pages.</p>',
    )
  })
})

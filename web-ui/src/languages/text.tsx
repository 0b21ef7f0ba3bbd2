// SPDX-License-Identifier: MIT
import { cloneElement, createElement, Fragment, isValidElement, type ReactNode } from 'react'
import { wordsOf } from './language.ts'
import { formatOf, isWithoutParts } from './t.ts'

/**
 * A sentence with elements in it, which a translation may put elsewhere. An element stands where its name is in braces,
 * or around the words between its tags:
 *   <T text="Read <guide>the guide</guide> of {name}" guide={<Link to="/docs" />} name={<code>{name}</code>} />
 */
export function T({ text, ...values }: { text: string; [name: string]: ReactNode }): ReactNode {
  const found = wordsOf(text)
  if (isWithoutParts(found)) return found
  const filled = Object.entries(values).map(([name, value]) => [
    name,
    isValidElement(value) && found.includes(`<${name}>`)
      ? (parts: ReactNode[]) => cloneElement(value, {}, ...parts)
      : value,
  ])
  return createElement(
    Fragment,
    null,
    ...[formatOf(found).format<ReactNode>(Object.fromEntries(filled))].flat(),
  )
}

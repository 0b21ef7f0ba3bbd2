// SPDX-License-Identifier: MIT
import fastJsonStringify from 'fast-json-stringify'
import { Type } from 'typebox'
import { expect, test } from 'vitest'
import { Nullable } from '../../src/api-shapes/common.ts'
import { withoutNullUnions } from '../../src/plugins/serialization.ts'

const Pet = Type.Object({
  name: Nullable(Type.String()),
  owner: Nullable(Type.Object({ id: Type.Integer(), since: Nullable(Type.Number()) })),
  legs: Type.Array(Nullable(Type.Integer())),
  is: Nullable(Type.Union([Type.Literal('cat'), Type.Literal('dog')])),
})

test('answers are what the schema with unions makes of them', () => {
  const answers = [
    { name: null, owner: null, legs: [], is: null },
    { name: 'Rex', owner: { id: 1, since: null }, legs: [1, null], is: 'dog' },
    { name: '"\n', owner: { id: 2, since: 0.5, secret: 'x' }, legs: [null], is: 'cat' },
  ]
  const plain = fastJsonStringify(withoutNullUnions(structuredClone(Pet)))
  const unions = fastJsonStringify(structuredClone(Pet))
  for (const answer of answers) expect(plain(answer)).toBe(unions(answer))
  expect(answers.map((answer) => plain(answer)).join()).not.toContain('secret')
})

test('no validator is left where null is the only other type', () => {
  expect(withoutNullUnions(Nullable(Type.Object({ id: Nullable(Type.Integer()) })))).toMatchObject({
    type: 'object',
    nullable: true,
    properties: { id: { type: 'integer', nullable: true } },
  })
})

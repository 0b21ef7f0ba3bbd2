// SPDX-License-Identifier: MIT
import Sqlite from 'better-sqlite3'
import { expect, onTestFinished, test, vi } from 'vitest'
import { keepStatements } from '../../src/db/sqlite/statements.ts'

function open() {
  const database = new Sqlite(':memory:')
  onTestFinished(() => void database.close())
  const prepare = vi.spyOn(database, 'prepare')
  return { kept: keepStatements(database), prepare }
}

test('a statement is prepared once', () => {
  const { kept, prepare } = open()
  for (const value of [1, 2]) {
    expect(kept.prepare('select ? as value').all([value])).toEqual([{ value }])
  }
  expect(prepare).toHaveBeenCalledTimes(1)
})

test('rows have the columns that the table has now', () => {
  const { kept } = open()
  kept.prepare('create table pets (name text)').run([])
  kept.prepare(`insert into pets values ('Rex')`).run([])
  const all = () => kept.prepare('select * from pets').all([])
  expect(all()).toEqual([{ name: 'Rex' }])
  kept.prepare(`alter table pets add column legs integer default 4`).run([])
  expect(all()).toEqual([{ name: 'Rex', legs: 4 }])
})

test('of very many statements those go that were not used for long', () => {
  const { kept, prepare } = open()
  const often = 'select 0'
  for (let i = 0; i < 2000; i++) {
    kept.prepare(often)
    kept.prepare(`select ${i} as other`)
  }
  prepare.mockClear()
  kept.prepare(often)
  expect(prepare).not.toHaveBeenCalled()
  kept.prepare('select 1 as other')
  expect(prepare).toHaveBeenCalledTimes(1)
})

// SPDX-License-Identifier: MIT
import { beforeEach, describe, expect, it, vi } from 'vitest'
import { chooseLanguage } from './language.ts'

describe('the language', () => {
  it.each([
    ['what was chosen, whatever the browser asks for', 'de', ['zh-CN', 'en'], 'de'],
    ['the first that the browser asks for and we have', null, ['fr-FR', 'zh-Hans-CN', 'de'], 'zh'],
    ['English when we have none of them', null, ['fr', 'it-IT'], 'en'],
    ['English when the browser asks for none', null, [], 'en'],
    [
      'what the browser asks for when the choice is of no language that we have',
      'xx',
      ['de'],
      'de',
    ],
    ['no word that objects have of themselves', 'constructor', ['toString'], 'en'],
  ] as const)('is %s', (_, chosen, wanted, expected) => {
    expect(chooseLanguage(chosen, wanted)).toBe(expected)
  })
})

/** The console as a page in that language has it: its modules are loaded anew. */
async function speaking(language: string, files: Record<string, () => object>) {
  localStorage.setItem('farmstead.language', language)
  vi.resetModules()
  for (const [path, content] of Object.entries(files)) vi.doMock(path, content)
  const own = await import('./language.ts')
  return { ...own, ...(await import('./t.ts')), ...(await import('../lib/format.ts')) }
}

const words = (translations: Record<string, string>) => () => ({ default: translations })

describe('a page in German', () => {
  beforeEach(() => {
    return () => {
      vi.doUnmock('./de/start.json')
      vi.doUnmock('./de/rest.json')
      vi.resetModules()
      document.documentElement.lang = 'en'
    }
  })

  it('has its words and numbers, and English ones where a translation is missing', async () => {
    const { t, formatRatio, formatCount } = await speaking('de', {
      './de/start.json': words({
        Save: 'Sichern',
        Back: '',
        '{count, plural, one {# node} other {# nodes}}':
          '{count, plural, one {# Knoten} other {# Knoten}}',
      }),
    })
    expect(document.documentElement.lang).toBe('de')
    expect(t('Save')).toBe('Sichern')
    expect(t('Back')).toBe('Back')
    expect(t('{count, plural, one {# node} other {# nodes}}', { count: 1200 })).toBe('1.200 Knoten')
    expect([formatCount(12_345), formatRatio(0.015)]).toEqual(['12.345', '1,5 %'])
  })

  it('has the words of other parts once these are asked for', async () => {
    const { t, restOfWords } = await speaking('de', {
      './de/start.json': words({}),
      './de/rest.json': words({ Later: 'Später' }),
    })
    expect(t('Later')).toBe('Later')
    await restOfWords()
    expect(t('Later')).toBe('Später')
  })

  it('is in English as a whole when the words do not come', async () => {
    const { t, language, formatRatio } = await speaking('de', {
      './de/start.json': () => {
        throw new Error('no answer')
      },
    })
    expect([language, document.documentElement.lang]).toEqual(['en', 'en'])
    expect([t('Save'), formatRatio(0.015)]).toEqual(['Save', '1.5 %'])
  })
})

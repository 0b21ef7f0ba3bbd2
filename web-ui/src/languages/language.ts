// SPDX-License-Identifier: MIT
// The console's language. It is one for as long as a page is open: whatever imports this module waits until its
// words are there, so that any line may ask for them, also one that runs while its module is loaded.

/** `tag` is the page's `lang`; `numbers` and `dates`: whose habits the language follows there. */
export const languages = {
  en: { name: 'English', tag: 'en', numbers: 'en-US', dates: 'en-GB' },
  de: { name: 'Deutsch', tag: 'de', numbers: 'de-DE', dates: 'de-DE' },
  zh: { name: '简体中文', tag: 'zh-CN', numbers: 'zh-CN', dates: 'zh-CN' },
} as const

export type Language = keyof typeof languages

/** English message → its translation; an empty one is shown in English. */
type Words = Record<string, string>
type Source = () => Promise<{ default: Words }>

/**
 * English stands in the code. `start` is what the first page may show; the rest is awaited before any other part of
 * the console is loaded (lib/load-chunk.ts).
 */
const sources: Record<Exclude<Language, 'en'>, { start: Source; rest: Source }> = {
  de: { start: () => import('./de/start.json'), rest: () => import('./de/rest.json') },
  zh: { start: () => import('./zh/start.json'), rest: () => import('./zh/rest.json') },
}

const KEPT_AS = 'farmstead.language'

const isLanguage = (name: string): name is Language => Object.hasOwn(languages, name)

/** What was chosen here, otherwise the first that the browser asks for and we have. */
export function chooseLanguage(chosen: string | null, wanted: readonly string[]): Language {
  const names = [chosen ?? '', ...wanted].map((tag) => tag.toLowerCase().split('-')[0] ?? '')
  return names.find(isLanguage) ?? 'en'
}

function chosenBefore(): string | null {
  try {
    return localStorage.getItem(KEPT_AS)
  } catch {
    // A browser that keeps nothing.
    return null
  }
}

/** The page starts anew in it. */
export function speak(language: Language): void {
  try {
    localStorage.setItem(KEPT_AS, language)
  } catch {
    return
  }
  window.location.reload()
}

const words = new Map<string, string>()
const learn = (more: Words) => {
  for (const [message, translation] of Object.entries(more)) words.set(message, translation)
}

const wanted = chooseLanguage(chosenBefore(), navigator.languages)

/** A language whose words do not come is not spoken: half a page of it helps nobody. */
async function started(): Promise<Language> {
  if (wanted === 'en') return 'en'
  try {
    learn((await sources[wanted].start()).default)
    return wanted
  } catch {
    return 'en'
  }
}

export const language = await started()
export const numberLocale = languages[language].numbers
export const dateLocale = languages[language].dates

document.documentElement.lang = languages[language].tag

let rest: Promise<void> | null = null

/** Asked again after it failed. */
export function restOfWords(): Promise<void> {
  if (language === 'en') return Promise.resolve()
  rest ??= sources[language].rest().then(
    (module) => learn(module.default),
    (error) => {
      rest = null
      throw error
    },
  )
  return rest
}

export const wordsOf = (message: string): string => words.get(message) || message

// SPDX-License-Identifier: MIT
// What one has to know before an import: of the servers that one comes from, of the three lists, and the bounds.
import { VERDICTS, type Verdict } from './findings.ts'
import {
  LANGUAGES,
  type Language,
  MOST_CHARACTERS,
  MOST_FILES,
  MOST_MAIN_FILES,
} from './request.ts'
import type { KnownImports } from './schema.ts'

type Server = {
  title: string
  /** Where its config usually lies. */
  folder: string
  /** What the file is usually called that it begins with. */
  mainFiles: string[]
}

const servers: Record<Language, Server> = {
  nginx: { title: 'nginx', folder: '/etc/nginx', mainFiles: ['nginx.conf'] },
  lighttpd: { title: 'lighttpd', folder: '/etc/lighttpd', mainFiles: ['lighttpd.conf'] },
  apache: { title: 'Apache', folder: '/etc/apache2', mainFiles: ['apache2.conf', 'httpd.conf'] },
  caddy: { title: 'Caddy', folder: '/etc/caddy', mainFiles: ['Caddyfile'] },
}

export const titleOf = (language: Language): string => servers[language].title

/** The report and the console call the lists so. */
export const verdictWords: Record<Verdict, { title: string; meaning: string }> = {
  unsupported: {
    title: 'Not supported',
    meaning: 'Nothing of the draft does this. Behind each is what to do instead.',
  },
  different: { title: 'Taken over with a difference', meaning: 'Read these before the switch.' },
  taken: { title: 'Taken over', meaning: 'These are in the draft as they were.' },
}

export const knownImports: KnownImports = {
  languages: LANGUAGES.map((language) => ({ language, ...servers[language] })),
  verdicts: VERDICTS.map((verdict) => ({ verdict, ...verdictWords[verdict] })).reverse(),
  mostFiles: MOST_FILES,
  mostMainFiles: MOST_MAIN_FILES,
  mostCharacters: MOST_CHARACTERS,
}

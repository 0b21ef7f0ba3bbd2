// SPDX-License-Identifier: MIT
// What the service acknowledged, write by write, and whether it is there. Each writer has a config of its own:
// it saves drafts with If-Match and makes versions of them, and now and then a token.
import type { Session } from './session.ts'

type Version = { number: number; text: string }
type Book = {
  versions: Version[]
  /** null: not known, for its answer never came. */
  etag: string | null
  draft: string | null
  /** Sent and not answered: may be there or not, but whole. */
  pending: { kind: 'draft' | 'version'; text: string } | null
  count: number
}

const VERSION_SHARE = 0.3
const TOKEN_SHARE = 0.2
/** So that a write is many pages of the database. */
const FILLING = 'x'.repeat(20_000)

const nameOf = (writer: number) => `writer-${writer}`
const textOf = (writer: number, count: number) =>
  `{ "listen": [{ "address": "127.0.0.1", "port": 8080 }], "sites": [{ "hosts": ["*"], "root": "/" }] } // ${writer}.${count} ${FILLING}`

export class Ledger {
  acknowledged = 0
  unanswered = 0
  readonly #books: Book[] = []
  readonly #tokens: string[] = []

  async begin(session: Session): Promise<void> {
    for (let writer = 0; writer < 4; writer++) {
      const text = textOf(writer, 0)
      await session.must('POST', `/configs/${nameOf(writer)}/versions`, {
        text,
        parent: null,
        message: '0',
      })
      const draft = await session.must('GET', `/configs/${nameOf(writer)}/draft`)
      this.#books.push({
        versions: [{ number: 1, text }],
        etag: draft.etag,
        draft: String(draft.body.text),
        pending: null,
        count: 0,
      })
    }
  }

  /** Until the service is gone. */
  async write(session: Session, writer: number, random: () => number): Promise<void> {
    const book = this.#books[writer]
    if (!book) return
    try {
      for (;;) await this.#next(session, { writer, book, random })
    } catch {
      // The answer never came: what was sent is in the book.
    }
  }

  async #next(
    session: Session,
    { writer, book, random }: { writer: number; book: Book; random: () => number },
  ): Promise<void> {
    const chance = random()
    const path = `/configs/${nameOf(writer)}`
    if (chance < TOKEN_SHARE) {
      const { status, body } = await session.ask('POST', '/enrolment-tokens', {})
      if (status === 201) this.#acknowledge(() => this.#tokens.push(String(body.id)))
      return
    }
    const text = textOf(writer, ++book.count)
    if (chance < TOKEN_SHARE + VERSION_SHARE) {
      const parent = book.versions.at(-1)?.number ?? null
      book.pending = { kind: 'version', text }
      const what = { text, parent, message: `${book.count}` }
      const { status, body } = await session.ask('POST', `${path}/versions`, what)
      book.pending = null
      if (status !== 201) throw new Error(`a version was refused: ${status}`)
      this.#acknowledge(() => book.versions.push({ number: Number(body.number), text }))
      await this.#readDraft(session, writer, book)
      return
    }
    book.pending = { kind: 'draft', text }
    const match = { 'if-match': book.etag ?? '' }
    const { status, etag } = await session.ask('PUT', `${path}/draft`, { text }, match)
    book.pending = null
    if (status !== 200) throw new Error(`a draft was refused: ${status}`)
    this.#acknowledge(() => {
      book.draft = text
      book.etag = etag
    })
  }

  /** Saving a version may move the draft on. */
  async #readDraft(session: Session, writer: number, book: Book): Promise<void> {
    book.draft = null
    const { etag, body } = await session.must('GET', `/configs/${nameOf(writer)}/draft`)
    book.etag = etag
    book.draft = String(body.text)
  }

  #acknowledge(note: () => void): void {
    note()
    this.acknowledged++
  }

  /** What is not as it was acknowledged; and takes what got no answer into the books as it is. */
  async check(session: Session): Promise<string[]> {
    const wrong: string[] = []
    for (const [writer, book] of this.#books.entries()) {
      wrong.push(...(await this.#checkVersions(session, writer, book)))
      wrong.push(...(await this.#checkDraft(session, writer, book)))
      book.pending = null
    }
    const there = new Set(await this.#all(session, '/enrolment-tokens', 'id'))
    const lost = this.#tokens.filter((id) => !there.has(id))
    wrong.push(...lost.map((id) => `${id} was acknowledged and is gone`))
    // Those that are checked once need not be read again: the next check is about newer ones.
    this.#tokens.length = 0
    return wrong
  }

  async #checkVersions(session: Session, writer: number, book: Book): Promise<string[]> {
    const path = `/configs/${nameOf(writer)}/versions`
    const newest = book.versions.at(-1)
    const { body } = await session.must('GET', `${path}?limit=2`)
    const [top] = body.items as { number: number }[]
    const found = top?.number ?? 0
    const wrong: string[] = []
    if (newest) {
      const { status, body } = await session.ask('GET', `${path}/${newest.number}`)
      if (status !== 200 || body.text !== newest.text) {
        wrong.push(`version ${newest.number} of writer ${writer} is not as it was acknowledged`)
      }
    }
    const beyond = found - (newest?.number ?? 0)
    if (beyond === 1 && book.pending?.kind === 'version') {
      const { body } = await session.must('GET', `${path}/${found}`)
      if (body.text !== book.pending.text) wrong.push(`version ${found} is half a write`)
      book.versions.push({ number: found, text: book.pending.text })
      this.unanswered++
    } else if (beyond !== 0) {
      wrong.push(`writer ${writer} has version ${found}, ${newest?.number} was acknowledged last`)
    }
    // The rest was checked while it was the newest; versions never change.
    book.versions.splice(0, book.versions.length - 1)
    return wrong
  }

  async #checkDraft(session: Session, writer: number, book: Book): Promise<string[]> {
    const { etag, body } = await session.must('GET', `/configs/${nameOf(writer)}/draft`)
    const text = String(body.text)
    const { draft, pending } = book
    book.etag = etag
    book.draft = text
    // A version's answer that never came, or the draft read after it: it may have moved the draft.
    const mayHaveMoved = draft === null || pending?.kind === 'version'
    if (text === draft || (mayHaveMoved && text.startsWith('{ "listen"'))) return []
    if (text === pending?.text) {
      this.unanswered++
      return []
    }
    return [`the draft of writer ${writer} is not as it was acknowledged`]
  }

  async #all(session: Session, path: string, field: string): Promise<unknown[]> {
    const found: unknown[] = []
    for (let cursor = ''; ; ) {
      const { body } = await session.must(
        'GET',
        `${path}?limit=500${cursor && `&cursor=${cursor}`}`,
      )
      found.push(...(body.items as Record<string, unknown>[]).map((item) => item[field]))
      if (body.nextCursor === null) return found
      cursor = String(body.nextCursor)
    }
  }
}

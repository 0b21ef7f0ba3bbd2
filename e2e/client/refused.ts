// SPDX-License-Identifier: MIT

/** An answer that is an error; what never answered rejects with what the socket said. */
export class Refused extends Error {
  readonly status: number
  /** Programs go by it; '' when the answer was no problem of ours (RFC 9457). */
  readonly code: string
  /** The sentence for people: what happened, and what to do. */
  readonly detail: string

  private constructor(what: string, status: number, body: string) {
    const { code = '', detail = body } = parsed(body)
    super(`${what} answered ${status} ${code}: ${detail}`)
    this.status = status
    this.code = code
    this.detail = detail
  }

  static async of(request: Request, response: Response): Promise<Refused> {
    const { pathname } = new URL(request.url)
    return new Refused(`${request.method} ${pathname}`, response.status, await response.text())
  }
}

function parsed(body: string): { code?: string; detail?: string } {
  try {
    return JSON.parse(body)
  } catch {
    return {}
  }
}

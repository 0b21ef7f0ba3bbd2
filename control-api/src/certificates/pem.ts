// SPDX-License-Identifier: MIT
// Finds the blocks of a PEM text (RFC 7468), each with the line it begins on, and says what a text is that is none.
// Lenient where programs write it differently (CR LF, words between blocks, no line end after one), strict about what
// is in a block. Pure, and linear in the length of the text.

export type PemBlock = {
  /** As in "-----BEGIN CERTIFICATE-----". */
  label: string
  /** As it stands in the text, normalised to LF and lines of 64. */
  pem: string
  /** From 1. */
  line: number
  /** Encrypted in the old way of OpenSSL: "Proc-Type: 4,ENCRYPTED". */
  isEncrypted: boolean
}
export type PemFault = { line: number; message: string; hint: string }
export type PemText = { ok: true; blocks: PemBlock[] } | { ok: false; fault: PemFault }

const BEGIN = /-----BEGIN ([A-Z0-9 ]{1,64})-----/g
const BASE64 = /^[A-Za-z0-9+/]+={0,2}$/
/** RFC 1421: "Proc-Type: 4,ENCRYPTED". */
const HEADER = /^[A-Za-z0-9-]+:.*$/
const LINE_LENGTH = 64
/** DER begins with a SEQUENCE whose length takes two bytes: "MII" in base64. */
const ARMOURLESS = /^\s*MII[A-Za-z0-9+/]/

export function readPem(text: string): PemText {
  const blocks: PemBlock[] = []
  let line = 1
  let counted = 0
  const lineOf = (offset: number) => {
    for (; counted < offset; counted++) if (text[counted] === '\n') line++
    return line
  }
  for (const begin of text.matchAll(BEGIN)) {
    const [mark, label = ''] = begin
    const at = lineOf(begin.index)
    const start = begin.index + mark.length
    const end = text.indexOf(`-----END ${label}-----`, start)
    if (end < 0)
      return fault(
        at,
        `this ${label} has no end`,
        `paste it whole, with its last line, "-----END ${label}-----"`,
      )
    const block = readBody(text.slice(start, end))
    if (block === null)
      return fault(
        at,
        `what is in this ${label} is not base64`,
        'copy it again from the file; an editor or a mail may have changed it',
      )
    blocks.push({
      label,
      line: at,
      pem: armoured(label, block.body),
      isEncrypted: block.isEncrypted,
    })
  }
  return blocks.length > 0 ? { ok: true, blocks } : { ok: false, fault: whatElse(text) }
}

const fault = (line: number, message: string, hint: string): PemText => ({
  ok: false,
  fault: { line, message, hint },
})

function readBody(inner: string): { body: string; isEncrypted: boolean } | null {
  const lines = inner.split('\n').map((line) => line.trim())
  const body = lines.filter((line) => line !== '' && !HEADER.test(line)).join('')
  const isEncrypted = lines.some((line) => /^Proc-Type:.*ENCRYPTED/.test(line))
  return BASE64.test(body) ? { body, isEncrypted } : null
}

function armoured(label: string, body: string): string {
  const lines: string[] = []
  for (let at = 0; at < body.length; at += LINE_LENGTH) lines.push(body.slice(at, at + LINE_LENGTH))
  return `-----BEGIN ${label}-----\n${lines.join('\n')}\n-----END ${label}-----\n`
}

function whatElse(text: string): PemFault {
  if (text.trim() === '') return { line: 0, message: 'this is empty', hint: 'paste the PEM file' }
  if (text.includes('-\0-\0-')) {
    return {
      line: 1,
      message: 'this is UTF-16, as some programs of Windows write it',
      hint: 'save it as ASCII or UTF-8',
    }
  }
  if (ARMOURLESS.test(text)) {
    return {
      line: 1,
      message: 'this is base64 without "-----BEGIN …-----": DER, or PKCS#12 (.pfx, .p12)',
      hint: 'only PEM is taken. From DER: "openssl x509 -inform DER -in FILE"; from PKCS#12: "openssl pkcs12 -in FILE -nodes"',
    }
  }
  if (/[^\t\n\r\x20-\x7e\u00a0-\uffff]/.test(text)) {
    return {
      line: 1,
      message: 'this is a binary file: DER, or PKCS#12 (.pfx, .p12)',
      hint: 'only PEM is taken. From DER: "openssl x509 -inform DER -in FILE"; from PKCS#12: "openssl pkcs12 -in FILE -nodes"',
    }
  }
  return {
    line: 1,
    message: 'this is no PEM: there is no line "-----BEGIN …-----"',
    hint: 'paste the file as it is, with the lines that begin with five dashes',
  }
}

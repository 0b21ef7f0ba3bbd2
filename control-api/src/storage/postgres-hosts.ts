// SPDX-License-Identifier: MIT
// Which of several hosts of PostgreSQL is the one to write to: the others are its standbys.

type Opened = { takesWrites(): Promise<boolean>; end(): Promise<void> }

export async function firstThatTakesWrites<T extends Opened>(
  url: string,
  open: (url: string) => Promise<T>,
): Promise<T> {
  let failure: unknown
  for (const one of hostsOf(url)) {
    try {
      const opened = await open(one)
      if (await opened.takesWrites()) return opened
      await opened.end()
      failure = new Error(`${new URL(one).host} is a standby and takes no writes.`)
    } catch (error) {
      failure = error
    }
  }
  throw failure
}

/** postgres://user@a:5432,b:5432/name, as libpq has it: one URL for each. */
export function hostsOf(url: string): string[] {
  const [, begin = '', hosts = '', rest = ''] =
    /^(\w+:\/\/(?:[^@/]*@)?)([^/?#]*)(.*)$/s.exec(url) ?? []
  return hosts.split(',').map((host) => `${begin}${host}${rest}`)
}

// SPDX-License-Identifier: MIT
// What the looks of other specs find, on a page made for it: a look that is quicker must find the same.
import { wrongWithLooks } from '../../fixtures/axe.ts'
import { expect, test } from '../../fixtures/index.ts'

/** It says which scheme it has, as the console does, and a colour takes longer to come than a look lasts. */
const pageOf = (css: string, content: string) => `<!doctype html>
<html lang="en">
  <head>
    <title>Looked at</title>
    <meta name="viewport" content="width=device-width">
    <style>
      :root { color-scheme: light dark }
      body { background: light-dark(white, black); color: light-dark(black, white) }
      p, b { transition: color 60s }
      ${css}
    </style>
    <script>
      const dark = matchMedia('(prefers-color-scheme: dark)')
      const take = () =>
        document.documentElement.setAttribute('data-mantine-color-scheme', dark.matches ? 'dark' : 'light')
      dark.addEventListener('change', take)
      take()
    </script>
  </head>
  <body><main><h1>Looked at</h1><p><b>Some words</b></p>${content}</main></body>
</html>`

test('a page that is right is right in both schemes, while the colours of its words are on their way', async ({
  page,
}) => {
  await page.setContent(pageOf('', ''))
  expect(await wrongWithLooks(page)).toEqual([])
  expect(await wrongWithLooks(page)).toEqual([])
})

test('what is wrong in one scheme, or on a phone alone, is found: at the first look and at the second', async ({
  page,
}) => {
  const css = `
    .dim { color: light-dark(black, #222) }
    .pale { color: light-dark(#ddd, white) }
    .on-a-phone { display: none }
    @media (max-width: 400px) { .on-a-phone { display: block } }`
  const content = `<p class="dim">dim</p><p class="pale">pale</p>
    <img class="on-a-phone" src="data:image/gif;base64,R0lGODlhAQABAAAAACwAAAAAAQABAAA=">`
  await page.setContent(pageOf(css, content))
  for (const look of ['first', 'second']) {
    const wrong = await wrongWithLooks(page)
    const pale = [expect.stringContaining('pale')]
    const dim = [expect.stringContaining('dim')]
    expect(wrong, look).toEqual([
      expect.objectContaining({ colorScheme: 'light', id: 'color-contrast', where: pale }),
      expect.objectContaining({ colorScheme: 'dark', id: 'color-contrast', where: dim }),
      expect.objectContaining({ phone: true, id: 'color-contrast', where: dim }),
      expect.objectContaining({ phone: true, id: 'image-alt' }),
    ])
  }
})

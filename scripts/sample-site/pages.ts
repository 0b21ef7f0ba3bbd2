// SPDX-License-Identifier: MIT
// The gallery's texts: pages, style sheet, drawings, feeds.
import { type Picture, pictures, type Season, seasons } from './catalogue.ts'

const name = 'Four Seasons Farm'
const capital = (word: string) => word.charAt(0).toUpperCase() + word.slice(1)
const escapeHtml = (text: string) =>
  text.replace(/&/g, '&amp;').replace(/</g, '&lt;').replace(/"/g, '&quot;')

type Page = { title: string; description: string; current: string; body: string }

function page({ title, description, current, body }: Page): string {
  const links = [
    ['/', 'All year'],
    ...seasons.map((s) => [`/${s}/`, capital(s)]),
    ['/about.html', 'About'],
  ]
  const nav = links
    .map(
      ([href, text]) =>
        `<a href="${href}"${href === current ? ' aria-current="page"' : ''}>${text}</a>`,
    )
    .join('\n        ')
  return `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>${escapeHtml(title)}</title>
    <meta name="description" content="${escapeHtml(description)}">
    <link rel="icon" href="/favicon.svg" type="image/svg+xml">
    <link rel="stylesheet" href="/css/site.css">
    <link rel="alternate" type="application/feed+json" href="/feed.json" title="${name}">
  </head>
  <body>
    <header class="top">
      <a class="brand" href="/"><img src="/favicon.svg" alt="" width="34" height="34"> ${name}</a>
      <nav aria-label="Seasons">
        ${nav}
      </nav>
    </header>
    <main>
${body}
    </main>
    <footer>
      <p>Every picture here was painted by a program when this farm was set up.
      Served by <strong>farmstead-node</strong>.</p>
    </footer>
  </body>
</html>
`
}

const card = ({ slug, title, season, hour }: Picture) => `
        <li><a href="/pictures/${slug}.html">
          <img src="/images/card/${slug}.png" alt="" width="400" height="250" loading="lazy">
          <span class="title">${escapeHtml(title)}</span>
          <span class="meta"><img src="/icons/${season}.svg" alt="" width="16" height="16"> ${capital(season)}, ${hour}</span>
        </a></li>`

const grid = (shown: Picture[]) => `      <ul class="grid">${shown.map(card).join('')}
      </ul>`

/** The front page shows a few of each season; the season pages show all. */
function home(): string {
  const shown = [0, 4, 1]
    .flatMap((row) => seasons.map((_, at) => pictures[at * 9 + row]))
    .filter((p) => p !== undefined)
  const hero = pictures[12]
  const body = `      <section class="hero">
        <img src="/images/full/${hero?.slug}.png" alt="${escapeHtml(hero?.words ?? '')}" width="800" height="500">
        <div>
          <h1>${name}</h1>
          <p>Thirty-six pictures of one small farm: nine in each season, from the first light to the stars.</p>
        </div>
      </section>
${grid(shown)}`
  return page({
    title: name,
    description: 'A small gallery of farm landscapes.',
    current: '/',
    body,
  })
}

function seasonPage(season: Season): string {
  const body = `      <h1><img src="/icons/${season}.svg" alt="" width="44" height="44"> ${capital(season)}</h1>
${grid(pictures.filter((picture) => picture.season === season))}`
  return page({
    title: `${capital(season)} · ${name}`,
    description: `The farm in ${season}.`,
    current: `/${season}/`,
    body,
  })
}

function neighbour(picture: Picture, step: number, label: string): string {
  const at = (pictures.indexOf(picture) + step + pictures.length) % pictures.length
  const other = pictures[at] ?? picture
  return `        <a href="/pictures/${other.slug}.html"><img src="/images/mini/${other.slug}.png" alt="" width="100" height="62"> <span>${label}<br>${escapeHtml(other.title)}</span></a>`
}

function picturePage(picture: Picture): string {
  const body = `      <figure>
        <img src="/images/full/${picture.slug}.png" alt="${escapeHtml(picture.title)}" width="800" height="500">
        <figcaption><h1>${escapeHtml(picture.title)}</h1>
        <p>${escapeHtml(picture.words)}</p></figcaption>
      </figure>
      <nav class="pair" aria-label="More pictures">
${neighbour(picture, -1, 'Before')}
${neighbour(picture, 1, 'Next')}
      </nav>`
  return page({
    title: `${picture.title} · ${name}`,
    description: picture.words,
    current: `/${picture.season}/`,
    body,
  })
}

const about = () =>
  page({
    title: `About · ${name}`,
    description: 'What this site is for.',
    current: '/about.html',
    body: `      <article>
        <h1>About this site</h1>
        <p>This is the sample site of a Farmstead farm. It gives three real file servers something real to
        serve: pages, style sheets, drawings and pictures of all sizes, from a few bytes to a quarter of a
        megabyte, and one file too large for any memory.</p>
        <ul>
          <li><a href="/feed.json">feed.json</a>, the catalogue for programs</li>
          <li><a href="/sitemap.xml">sitemap.xml</a></li>
          <li><a href="/downloads/five-gibibytes.bin">five-gibibytes.bin</a>, 5 GiB of nothing (a sparse file), for
          range requests and downloads that last</li>
        </ul>
        <p>Replace it with files of your own: the console's configuration says where they are.</p>
      </article>`,
  })

const notFound = () =>
  page({
    title: `Not here · ${name}`,
    description: 'No such page.',
    current: '',
    body: '      <article>\n        <h1>Nothing grows here</h1>\n        <p><a href="/">Back to the farm</a></p>\n      </article>',
  })

const css = `:root {
  color-scheme: light dark;
  --paper: light-dark(#fbf8f1, #15171c);
  --card: light-dark(#ffffff, #1f232b);
  --ink: light-dark(#2b2a26, #ece7db);
  --faint: light-dark(#6d675b, #a59f92);
  --line: light-dark(#e6dfd0, #313641);
  --amber: light-dark(#9a5b00, #f2b84b);
}
* { box-sizing: border-box; }
body { margin: 0; background: var(--paper); color: var(--ink); font: 17px/1.6 Georgia, "DejaVu Serif", serif; }
a { color: inherit; }
img { display: block; max-width: 100%; height: auto; }
.top { display: flex; flex-wrap: wrap; gap: 8px 32px; align-items: center; justify-content: space-between;
  max-width: 1240px; margin: 0 auto; padding: 18px 20px; }
.brand { display: flex; gap: 10px; align-items: center; font-size: 1.2rem; font-weight: bold; text-decoration: none; }
.top nav { display: flex; flex-wrap: wrap; gap: 4px 20px; }
.top nav a { color: var(--faint); text-decoration: none; padding: 4px 0; border-bottom: 2px solid transparent; }
.top nav a:hover, .top nav a[aria-current] { color: var(--ink); border-color: var(--amber); }
main { max-width: 1240px; margin: 0 auto; padding: 0 20px; }
h1 { font-weight: normal; line-height: 1.2; }
main > h1 { display: flex; gap: 12px; align-items: center; }
.hero { position: relative; overflow: hidden; border-radius: 14px; margin-bottom: 28px; }
.hero > img { width: 100%; max-height: 460px; object-fit: cover; object-position: 50% 62%; }
.hero div { position: absolute; inset: auto 0 0; padding: 60px 28px 20px; color: #fff;
  background: linear-gradient(transparent, rgb(12 20 26 / 80%)); }
.hero h1 { margin: 0; font-size: clamp(1.7rem, 4vw, 3rem); }
.hero p { margin: 4px 0 0; max-width: 44em; }
.grid { display: grid; grid-template-columns: repeat(auto-fill, minmax(270px, 1fr)); gap: 24px; padding: 0; list-style: none; }
.grid a { display: block; background: var(--card); border: 1px solid var(--line); border-radius: 12px; overflow: hidden;
  text-decoration: none; transition: transform .15s, box-shadow .15s; }
.grid a:hover { transform: translateY(-3px); box-shadow: 0 10px 28px rgb(0 0 0 / 16%); }
.grid a > img { width: 100%; }
.grid .title { display: block; padding: 12px 16px 0; font-size: 1.05rem; }
.grid .meta { display: flex; gap: 6px; align-items: center; padding: 0 16px 14px; color: var(--faint); font-size: .86rem; }
figure { margin: 0; background: var(--card); border: 1px solid var(--line); border-radius: 14px; overflow: hidden; }
figure > img { width: 100%; max-height: 76vh; object-fit: cover; }
figcaption { padding: 8px 24px 14px; }
figcaption h1 { margin: 10px 0 0; }
figcaption p { margin: 4px 0; color: var(--faint); }
.pair { display: flex; flex-wrap: wrap; justify-content: space-between; gap: 12px; margin: 20px 0; }
.pair a { display: flex; gap: 12px; align-items: center; text-decoration: none; line-height: 1.35; }
.pair img { border-radius: 8px; }
article { max-width: 40em; }
footer { max-width: 1240px; margin: 32px auto 0; padding: 18px 20px 36px; border-top: 1px solid var(--line); color: var(--faint); font-size: .88rem; }
@media (prefers-reduced-motion: reduce) { .grid a { transition: none; } .grid a:hover { transform: none; } }
`

const favicon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#f2b84b"/><path d="M0 22c8-4 14-3 20-1s9 1 12 0v5a6 6 0 0 1-6 6H6a6 6 0 0 1-6-6z" fill="#5f8f4a"/><path d="M9 22v-8l7-6 7 6v8z" fill="#a3412f"/><path d="M7.500 14.600 16 7.200l8.500 7.400" fill="none" stroke="#6b2a1e" stroke-width="2"/><path d="M13.500 22v-5h5v5z" fill="#fff3d6"/></svg>
`

const icons: Record<Season, string> = {
  spring:
    '<path d="M12 22v-9" stroke="#4b8a4a" stroke-width="2"/><g fill="#e79ab5"><circle cx="12" cy="5" r="3"/><circle cx="16.500" cy="8" r="3"/><circle cx="15" cy="13" r="3"/><circle cx="9" cy="13" r="3"/><circle cx="7.500" cy="8" r="3"/></g><circle cx="12" cy="9.500" r="2.500" fill="#f2c84b"/>',
  summer:
    '<circle cx="12" cy="12" r="5" fill="#f2b035"/><g stroke="#f2b035" stroke-width="2" stroke-linecap="round"><path d="M12 2v2M12 20v2M2 12h2M20 12h2M5 5l1.400 1.400M17.600 17.600 19 19M5 19l1.400-1.400M17.600 6.400 19 5"/></g>',
  autumn:
    '<path d="M5 19C4 10 10 4 20 4c0 10-6 16-15 15z" fill="#c4672e"/><path d="M4 21 14 10" stroke="#7a3d17" stroke-width="1.600" stroke-linecap="round"/>',
  winter:
    '<g stroke="#6fa3cf" stroke-width="1.800" stroke-linecap="round"><path d="M12 2v20M3.300 7l17.400 10M3.300 17 20.700 7M12 5l-2-2M12 5l2-2M12 19l-2 2M12 19l2 2"/></g>',
}

const svg = (drawing: string) =>
  `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 24 24" fill="none">${drawing}</svg>\n`

const feed = () => ({
  version: 'https://jsonfeed.org/version/1.1',
  title: name,
  items: pictures.map(({ slug, title, words, season, hour }) => ({
    id: slug,
    url: `/pictures/${slug}.html`,
    image: `/images/full/${slug}.png`,
    title,
    content_text: words,
    tags: [season, hour],
  })),
})

const sitemap = () => {
  const paths = [
    '/',
    ...seasons.map((s) => `/${s}/`),
    ...pictures.map((p) => `/pictures/${p.slug}.html`),
  ]
  const urls = paths.map((path) => `  <url><loc>${path}</loc></url>`).join('\n')
  return `<?xml version="1.0" encoding="UTF-8"?>\n<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">\n${urls}\n</urlset>\n`
}

/** Every text file of the site: path → contents. */
export function textFiles(): Map<string, string> {
  return new Map([
    ['index.html', home()],
    ['about.html', about()],
    ['404.html', notFound()],
    ...seasons.map((season): [string, string] => [`${season}/index.html`, seasonPage(season)]),
    ...seasons.map((season): [string, string] => [`icons/${season}.svg`, svg(icons[season])]),
    ...pictures.map((picture): [string, string] => [
      `pictures/${picture.slug}.html`,
      picturePage(picture),
    ]),
    ['css/site.css', css],
    ['favicon.svg', favicon],
    ['feed.json', `${JSON.stringify(feed(), null, 2)}\n`],
    ['sitemap.xml', sitemap()],
    ['robots.txt', 'User-agent: *\nAllow: /\n'],
    ['ready.txt', 'ok\n'],
  ])
}

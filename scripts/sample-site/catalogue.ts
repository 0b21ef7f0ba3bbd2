// SPDX-License-Identifier: MIT
// The pictures of the sample gallery: what is in each. The numbers of a picture come from its slug.

export type Season = 'spring' | 'summer' | 'autumn' | 'winter'
export type Hour = 'dawn' | 'morning' | 'noon' | 'golden' | 'dusk' | 'night'

export type Picture = {
  slug: string
  title: string
  season: Season
  hour: Hour
  words: string
}

export const seasons: Season[] = ['spring', 'summer', 'autumn', 'winter']

type Row = [title: string, hour: Hour, words: string]

const rows: Record<Season, Row[]> = {
  spring: [
    [
      'First light on the new grass',
      'dawn',
      'Mist still lies in the hollows when the cows are let out.',
    ],
    ['Seven rows of beans', 'morning', 'Sown on a dry Tuesday, up on a wet Sunday.'],
    ['The orchard wall', 'noon', 'The wall keeps the wind off and the blossom on.'],
    ['After the shower', 'golden', 'A quarter of an hour of rain, and everything shines.'],
    ['The mill at rest', 'dusk', 'No wind since Thursday; the miller went fishing.'],
    ['Lambing night', 'night', 'One window lit until four in the morning.'],
    ['The long furrow', 'morning', 'Straight as far as the oak, then it bends a little.'],
    ['Swallows', 'golden', 'They came back on the eleventh, as they do.'],
    ['Fields under a high sky', 'noon', 'Clouds pass and the shadows plough with them.'],
  ],
  summer: [
    ['Before the heat', 'dawn', 'The best hour for hoeing is the one before breakfast.'],
    ['Lavender on the south slope', 'morning', 'You can smell it from the road.'],
    ['Barley, three weeks to go', 'noon', 'Green at the foot, gold at the head.'],
    ['The hay is in', 'golden', 'Down on Monday, turned on Tuesday, in by the weekend.'],
    ['The road home', 'dusk', 'Warm stones, and bats over the hedge.'],
    ['Midsummer', 'night', 'It never gets quite dark behind the hill.'],
    ['The water meadow', 'morning', 'Cut late, for the sake of the orchids.'],
    ['Poplars', 'golden', 'Planted by someone who wanted to see the wind.'],
    ['Noon at the barn', 'noon', 'Nothing moves but the air over the roof.'],
  ],
  autumn: [
    ['The geese leave', 'dawn', 'They argue about the way and go anyhow.'],
    ['Stubble', 'morning', 'Short, even, and full of partridges.'],
    ['Apples', 'noon', 'A good year for the old trees at the gate.'],
    ['Copper hills', 'golden', 'Ten days, and then the first storm takes the lot.'],
    ['Smoke from the valley', 'dusk', 'Someone burns the hedge cuttings.'],
    ['Harvest moon', 'night', 'Bright enough to bring in the last load.'],
    ['The ploughed field', 'morning', 'Brown, wet and ready for the winter wheat.'],
    ['Wind in the beeches', 'golden', 'It sounds like the sea, two hundred miles from it.'],
    ['The mill at work', 'dusk', 'Wind at last, and nobody sleeps before it drops.'],
  ],
  winter: [
    ['Frost', 'dawn', 'Every blade of grass has a sharp edge today.'],
    ['Tracks', 'morning', 'A hare, a fox, and later the postman.'],
    ['The white field', 'noon', 'The furrows show through like the lines of a letter.'],
    ['Low sun', 'golden', 'It clears the ridge at nine and is gone by four.'],
    ['Lights in the farmhouse', 'dusk', 'Soup, and the accounts.'],
    ['Clear and cold', 'night', 'Count the stars and you will be late for the milking.'],
    ['Snow on the fence', 'morning', 'It balances until the first crow lands.'],
    ['The frozen mill', 'dusk', 'The sails wear icicles all on one side.'],
    ['Thaw', 'golden', 'Water everywhere, and the first snowdrop by the pump.'],
  ],
}

const slugOf = (title: string) =>
  title
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^-|-$/g, '')

export const pictures: Picture[] = seasons.flatMap((season) =>
  rows[season].map(([title, hour, words]) => ({ slug: slugOf(title), title, season, hour, words })),
)

/** A seed from the slug (FNV-1a), so that adding a picture changes no other. */
export function seedOf(picture: Picture): number {
  let hash = 0x811c9dc5
  for (const char of picture.slug) hash = Math.imul(hash ^ char.charCodeAt(0), 0x01000193)
  return hash >>> 0
}

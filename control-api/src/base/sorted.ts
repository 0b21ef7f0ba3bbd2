// SPDX-License-Identifier: MIT
// Places in sorted lists.

/** How many of the sorted places are not behind this one. */
export function indexAfter<Place>(
  places: readonly Place[],
  after: Place,
  compare: (one: Place, other: Place) => number,
): number {
  let [low, high] = [0, places.length]
  while (low < high) {
    const middle = (low + high) >> 1
    const place = places[middle]
    if (place !== undefined && compare(place, after) <= 0) low = middle + 1
    else high = middle
  }
  return low
}

/** The value below which a share of the values lies. */
export function quantile(values, share) {
  const sorted = [...values].sort((a, b) => a - b)
  const place = (sorted.length - 1) * share
  const low = Math.floor(place)
  const high = Math.ceil(place)
  return sorted[low] + (sorted[high] - sorted[low]) * (place - low)
}

export const median = (values) => quantile(values, 0.5)

/** Median and quartiles. */
export function spread(values) {
  return { median: median(values), q1: quantile(values, 0.25), q3: quantile(values, 0.75), n: values.length }
}

/** Each contender's values divided by those of `reference` in the same round, as median and quartiles. */
export function ratios(samples, reference) {
  return Object.fromEntries(
    Object.entries(samples).map(([name, values]) => [
      name,
      spread(values.map((value, round) => value / samples[reference][round])),
    ]),
  )
}

/** An empty list of samples for each name. */
export const emptySamples = (names) => Object.fromEntries(names.map((name) => [name, []]))

export const mapValues = (object, change) =>
  Object.fromEntries(Object.entries(object).map(([key, value]) => [key, change(value, key)]))

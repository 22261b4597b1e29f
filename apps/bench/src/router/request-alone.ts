/** The candidate that makes what every `fetch` is given, and nothing else: a floor that no application gets below. */
export const REQUEST_ALONE = 'new Request()'

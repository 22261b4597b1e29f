/** Header fields that a browser sends for a page. Together with `host`, these are 12 fields with 700 bytes. */
export const BROWSER_HEADERS: Readonly<Record<string, string>> = {
  'user-agent': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/142.0.0.0 Safari/537.36',
  accept: 'text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,image/webp,*/*;q=0.8',
  'accept-language': 'en-US,en;q=0.5',
  'accept-encoding': 'gzip, deflate, br, zstd',
  'cache-control': 'max-age=0',
  referer: 'https://www.example.org/catalogue/products?page=2&sort=price',
  cookie: 'session=0f9a6f1e2d3c4b5a69788796a5b4c3d2; theme=dark; consent=granted; locale=en-US',
  'sec-fetch-dest': 'document',
  'sec-fetch-mode': 'navigate',
  'sec-fetch-site': 'same-origin',
  'upgrade-insecure-requests': '1',
}

/** JSON text of 1,024 bytes without whitespace, so that serializing the parsed value produces the same bytes. */
export const ONE_KIB_OF_JSON: string = padded({
  id: 4711,
  customer: { name: 'Ada Lovelace', city: 'London' },
  items: Array.from({ length: 8 }, (_, i) => ({ sku: `A-${1000 + i}`, quantity: i + 1, price: 9.5 + i })),
  paid: true,
})

function padded(order: Readonly<Record<string, unknown>>): string {
  const bare = JSON.stringify({ ...order, note: '' })
  return JSON.stringify({ ...order, note: 'x'.repeat(1024 - bare.length) })
}

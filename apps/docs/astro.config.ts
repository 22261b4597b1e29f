import { fileURLToPath } from 'node:url'
import { unified } from '@astrojs/markdown-remark'
import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import starlightLinksValidator from 'starlight-links-validator'
import starlightLlmsTxt from 'starlight-llms-txt'
import { breakIdentifiers } from './src/site/break-identifiers.ts'
import { pageList, sidebar } from './src/site/sidebar.ts'

// The sitemap and llms.txt need absolute URLs. The build reads the site URL from the environment.
const SITE = process.env['DOCS_URL'] ?? 'http://localhost:4321'

export default defineConfig({
  site: SITE,
  trailingSlash: 'always',
  // All images are SVG, so no conversion is needed.
  image: { service: passthroughImageService() },
  markdown: { processor: unified({ rehypePlugins: [breakIdentifiers] }) },
  vite: {
    resolve: {
      alias: [
        {
          find: /^@pagefind\/default-ui$/,
          replacement: fileURLToPath(new URL('src/site/lazy-search.ts', import.meta.url)),
        },
      ],
    },
  },
  integrations: [
    starlight({
      title: 'fw',
      logo: { src: '../demo/public/icon.svg' },
      head: ['geist', 'geist-mono'].map((name) => ({
        tag: 'link',
        attrs: { rel: 'preload', href: `/fonts/${name}.woff2`, as: 'font', type: 'font/woff2', crossorigin: '' },
      })),
      components: { Search: './src/components/Search.astro' },
      description: 'One handler. HTTP/1.1, HTTP/2, HTTP/3. An HTTP server for Node.js.',
      sidebar: sidebar(),
      customCss: ['./src/styles/theme.css', './src/styles/site.css'],
      pagination: true,
      // A scrolling block would become a landmark without a name, so long lines wrap instead.
      expressiveCode: { defaultProps: { wrap: true } },
      plugins: [
        starlightLinksValidator(),
        starlightLlmsTxt({ details: pageList(SITE), exclude: ['reference/**', 'why/decisions'] }),
      ],
    }),
  ],
})

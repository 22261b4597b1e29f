import starlight from '@astrojs/starlight'
import { defineConfig, passthroughImageService } from 'astro/config'
import starlightLinksValidator from 'starlight-links-validator'
import starlightLlmsTxt from 'starlight-llms-txt'
import { pageList, sidebar } from './src/site/sidebar.ts'

// Sitemap and llms.txt need absolute URLs. The build takes the real one from the environment.
const SITE = process.env['DOCS_URL'] ?? 'http://localhost:4321'

export default defineConfig({
  site: SITE,
  trailingSlash: 'always',
  // The images are SVG, so nothing has to be converted.
  image: { service: passthroughImageService() },
  integrations: [
    starlight({
      title: 'fw',
      description: 'One handler. HTTP/1.1, HTTP/2, HTTP/3. An HTTP server for Node.js.',
      sidebar: sidebar(),
      customCss: ['./src/styles/site.css'],
      pagination: true,
      // A block that scrolls becomes a landmark without a name. Long lines wrap instead.
      expressiveCode: { defaultProps: { wrap: true } },
      plugins: [
        starlightLinksValidator(),
        starlightLlmsTxt({ details: pageList(SITE), exclude: ['reference/**', 'why/decisions'] }),
      ],
    }),
  ],
})

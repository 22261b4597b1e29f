import starlight from '@astrojs/starlight'
import { defineConfig } from 'astro/config'
import starlightLinksValidator from 'starlight-links-validator'
import starlightLlmsTxt from 'starlight-llms-txt'
import { sidebar } from './src/site/sidebar.ts'

export default defineConfig({
  // Sitemap and llms.txt need absolute URLs. The build takes the real one from the environment.
  site: process.env['DOCS_URL'] ?? 'http://localhost:4321',
  trailingSlash: 'always',
  integrations: [
    starlight({
      title: 'fw',
      description: 'One handler. HTTP/1.1, HTTP/2, HTTP/3. An HTTP server for Node.js.',
      sidebar: sidebar(),
      customCss: ['./src/styles/site.css'],
      pagination: true,
      plugins: [starlightLinksValidator(), starlightLlmsTxt({ exclude: ['reference/**', 'why/decisions'] })],
    }),
  ],
})

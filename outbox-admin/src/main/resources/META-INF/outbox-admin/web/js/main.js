/** Starts the dashboard. */
import { h, render } from '../lib/preact.mjs';
import { App } from './app.js';
import { applyTheme } from './theme.js';

applyTheme();
render(h(App), document.getElementById('app'));

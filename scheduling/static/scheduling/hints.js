/* Makes the hints of Django's two-sided choices pictures with a name: a plain mark may not carry one, and some screen
   readers are silent about it. Without it the hints are as Django shows them. */
'use strict';
addEventListener('load', () => {
    for (const hint of document.querySelectorAll('span.help-tooltip[aria-label]')) {
        hint.setAttribute('role', 'img');
    }
});

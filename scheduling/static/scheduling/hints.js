/* Makes the hints of Django's two-sided choices pictures with a name: a plain mark may not carry one, and some screen
   readers are silent about it. Without it the hints are as Django shows them.
   What is told of the fields of a step once for all rows is shown beside them in a row that is opened. Without it one
   opens the list of it above the table; screen readers read it at each field in any case. */
'use strict';
document.addEventListener('toggle', ({ target: row }) => {
    for (const field of row.open && row.closest('.field-more') ? row.querySelectorAll('[aria-describedby]') : []) {
        const told = document.getElementById(field.getAttribute('aria-describedby').split(' ')[0]);
        const label = field.closest('label');
        if (told && label && !label.parentElement.querySelector('.help')) {
            const shown = document.createElement('span');
            shown.className = 'help';
            shown.setAttribute('aria-hidden', 'true'); // it is read as the description of the field
            shown.textContent = told.textContent;
            label.after(shown);
        }
    }
}, true);
addEventListener('load', () => {
    for (const hint of document.querySelectorAll('span.help-tooltip[aria-label]')) {
        hint.setAttribute('role', 'img');
    }
});

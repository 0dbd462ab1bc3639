/* Escape closes the menu that is open and leads back to what opened it. Without it the same key that opened it closes it. */
'use strict';
document.addEventListener('keydown', event => {
    const menu = event.key === 'Escape' && event.target instanceof Element && event.target.closest('details:is(.person, .filter-menu)[open]');
    if (menu) {
        event.preventDefault();
        menu.open = false;
        menu.querySelector('summary').focus();
    }
});

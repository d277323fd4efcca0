// The home of the interface's vtable and meta-object.
#include "ui/shell/desk_page.h"

"""The maps of the level of boxes: the classic one, and three with coins."""

from __future__ import annotations

MAPS = (
    """
######
# A###
# X  #
##   #
### G#
######
""",
    """
##########
#    #   #
#  X A   #
# C#  C  #
#### ###X#
# C# #C  #
#  # #   #
# X  # C #
#    #   #
##########
""",
    """
#########
#       #
#  XA   #
# C# ####
#### #C #
#     X #
#       #
#########
""",
    """
##########
#    #   #
#  X A   #
# C#     #
####     #
# C#  ####
#  #  #C #
# X    X #
#        #
##########
""",
)
